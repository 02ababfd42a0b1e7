import type { MailTexts } from './en.js'

/** The mails in Portuguese. */
export const pt: MailTexts = {
  password_reset: `Subject: Escolha uma nova senha

Alguém pediu uma nova senha para a sua conta {{email}} no {{app}}. Se foi você, escolha-a agora. O link funciona uma única vez e é válido por {{validFor}}.

[Escolher uma nova senha]({{link}})

Se não foi você, ignore este e-mail. Nada vai mudar.

{{#until}}Esta conta tinha outro endereço até há pouco tempo. Quem puder ler os e-mails desse endereço pode recuperar a conta até esta data: {{until}}. Se você não conhece outro endereço, não use a conta e fale com o responsável pelo {{app}}.{{/until}}`,
  email_verification: `Subject: Confirme seu endereço de e-mail

Boas-vindas ao {{app}}. Confirme que {{email}} é o seu endereço. O link é válido por {{validFor}}.

[Confirmar o endereço]({{link}})

Se você não se cadastrou, não abra o link. Outra pessoa se cadastrou com o seu endereço, que continuará sem confirmação.`,
  login_code: `Subject: Entrar{{#digits}}: {{digits}}{{/digits}}

Alguém quer entrar no {{app}} com o endereço {{email}}.

{{#link}}Se for você, abra este link no navegador em que começou. Ele é válido por {{validFor}}.{{/link}}

[Entrar]({{link}})

{{#digits}}Se for você, digite estes números onde começou. Eles são válidos por {{validFor}}:

{{digits}}{{/digits}}

Se não foi você, ignore este e-mail. Não dê o link nem os números a ninguém: ninguém vai pedi-los a você.`,
  invitation: `Subject: Convite{{#tenant}} para {{tenant}}{{/tenant}}

Você recebeu um convite{{#inviter}} de {{inviter}}{{/inviter}} para participar de {{#tenant}}{{tenant}} em {{/tenant}}{{app}}. O convite é para o endereço {{email}}. Você pode aceitá-lo até esta data: {{expires}}.

[Ver o convite]({{link}})

Se você não esperava este convite, ignore este e-mail.`,
  email_change: `Subject: Confirme seu novo endereço de e-mail

Alguém pediu para mudar o endereço de uma conta no {{app}} para {{email}}. Se foi você, confirme agora. O link é válido por {{validFor}}.

[Mudar o endereço]({{link}})

Se não foi você, não abra o link: a conta ficaria com o seu endereço.`,
  email_taken: `Subject: Seu endereço de e-mail já está em uso

Alguém pediu para mudar o endereço de uma conta no {{app}} para {{email}}. Uma conta tem este endereço, ou o tinha até há pouco tempo, por isso nada mudou.

Se foi você, entre com este endereço. Se não foi, ignore este e-mail.`,
  email_change_undo: `Subject: Seu endereço de e-mail foi alterado

{{email}} não é mais o endereço da sua conta no {{app}}, porque foi alterado.

{{#link}}Se não foi você, desfaça a alteração. A sua conta volta a ter este endereço e você escolhe uma nova senha. O link é válido por {{validFor}}.{{/link}}

[Desfazer a alteração]({{link}})

Se foi você, não é preciso fazer nada.`,
  email_change_undone: `Subject: Escolha uma nova senha

A sua conta no {{app}} tem de novo o endereço {{email}}. A senha antiga não funciona mais, porque quem alterou o endereço talvez a conheça. Os segundos fatores, as chaves de acesso e os logins vinculados foram removidos, porque essa pessoa pode tê-los adicionado. Escolha uma nova senha agora. O link funciona uma única vez e é válido por {{validFor}}.

[Escolher uma nova senha]({{link}})

Se o link tiver expirado, peça outro como se tivesse esquecido a senha.`,
  email_change_requested: `Subject: Um novo endereço de e-mail foi pedido

Alguém que conhece a sua senha pediu para mudar o endereço da sua conta {{email}} no {{app}}. Data do pedido: {{time}}. O endereço muda quando o link no e-mail enviado ao novo endereço for aberto.

Se não foi você, mude a sua senha agora. Assim o link deixa de ser válido.

[Abrir {{app}}]({{appUrl}})`,
  email_changed: `Subject: Seu endereço de e-mail foi alterado

{{email}} é agora o endereço da sua conta no {{app}}. Data da alteração: {{time}}. Entre com ele a partir de agora.

Se você não pediu isso, o responsável pelo {{app}} fez a alteração.`,
  password_changed: `Subject: Sua senha foi alterada

A senha da sua conta {{email}} no {{app}} foi alterada. Data da alteração: {{time}}.

Se não foi você nem o responsável pelo {{app}}, escolha uma nova senha agora. Outra pessoa conhece a sua ou pode ler os seus e-mails.

[Abrir {{app}}]({{appUrl}})`,
  new_network: `Subject: Acesso a partir de uma nova rede

Alguém entrou na sua conta {{email}} no {{app}} a partir de uma rede que você não usou recentemente. Data: {{time}}.

Se foi você, não é preciso fazer nada. Se não foi, mude a sua senha agora. Isso encerra todas as sessões.

[Abrir {{app}}]({{appUrl}})`,
  session_reused: `Subject: Uma sessão da sua conta foi encerrada

Uma sessão da sua conta {{email}} no {{app}} foi encerrada, porque a chave dela foi usada duas vezes. Data: {{time}}. Talvez alguém a tenha copiado de um dos seus dispositivos.

Entre de novo. Se acontecer outra vez, mude a sua senha.

[Abrir {{app}}]({{appUrl}})`,
  factor_added: `Subject: Um segundo fator foi adicionado

Um segundo fator foi adicionado à sua conta {{email}} no {{app}}. Data: {{time}}. A partir de agora, ele será pedido em cada acesso.

Se não foi você, fale agora com o responsável pelo {{app}}.

[Abrir {{app}}]({{appUrl}})`,
  factor_removed: `Subject: Um segundo fator foi removido

Um segundo fator da sua conta {{email}} no {{app}} foi removido. Data: {{time}}.

Se não foi você nem o responsável pelo {{app}}, altere a sua senha agora e adicione um segundo fator novamente.

[Abrir {{app}}]({{appUrl}})`,
  recovery_codes_created: `Subject: Novos códigos de recuperação

Novos códigos de recuperação foram criados para a sua conta {{email}} no {{app}}. Data: {{time}}. Os anteriores não funcionam mais.

Se não foi você, altere a sua senha agora e crie novos códigos.

[Abrir {{app}}]({{appUrl}})`,
  second_step_failed: `Subject: Alguém conhece a sua senha

Alguém digitou a senha correta da sua conta {{email}} no {{app}} e, depois, vários códigos errados. Data: {{time}}. Ninguém entrou.

Se não foi você, altere a sua senha agora.

[Abrir {{app}}]({{appUrl}})`,
  identity_linked: `Subject: Uma forma de acesso foi adicionada

Agora é possível entrar na sua conta {{email}} no {{app}} com {{provider}}. Data: {{time}}.

Se não foi você, entre, remova {{provider}} da sua conta e altere a sua senha.

[Abrir {{app}}]({{appUrl}})`,
  identity_removed: `Subject: Uma forma de acesso foi removida

Não é mais possível entrar na sua conta {{email}} no {{app}} com {{provider}}. Data: {{time}}.

Se não foi você nem o responsável pelo {{app}}, altere a sua senha agora.

[Abrir {{app}}]({{appUrl}})`,
  account_deleted: `Subject: Sua conta foi excluída

A sua conta {{email}} no {{app}} foi excluída. Data: {{time}}. Isso não pode ser desfeito.

Se não foi você nem o responsável pelo {{app}}, outra pessoa conhecia a sua senha. Mude-a em todos os outros lugares onde a usa.`,
}
