import type { MailTexts } from './en.js'

/** The mails in French. */
export const fr: MailTexts = {
  password_reset: `Subject: Choisissez un nouveau mot de passe

Un nouveau mot de passe a été demandé pour votre compte {{app}} {{email}}. Si c’est vous, choisissez-le maintenant. Le lien ne fonctionne qu’une fois et reste valable {{validFor}}.

[Choisir un nouveau mot de passe]({{link}})

Si ce n’est pas vous, ignorez ce message. Rien ne changera.

{{#until}}Ce compte avait récemment une autre adresse. Toute personne qui peut lire les messages de celle-ci peut reprendre le compte jusqu’à cette date : {{until}}. Si vous ne connaissez pas d’autre adresse, n’utilisez pas ce compte et contactez le responsable de {{app}}.{{/until}}`,
  email_verification: `Subject: Confirmez votre adresse e-mail

Bienvenue sur {{app}}. Merci de confirmer que {{email}} est bien votre adresse. Le lien reste valable {{validFor}}.

[Confirmer l’adresse]({{link}})

Si vous ne vous êtes pas inscrit, n’ouvrez pas le lien. Une autre personne s’est inscrite avec votre adresse, qui restera non confirmée.`,
  login_code: `Subject: Connexion{{#digits}} : {{digits}}{{/digits}}

Quelqu’un souhaite se connecter à {{app}} avec l’adresse {{email}}.

{{#link}}Si c’est vous, ouvrez ce lien dans le navigateur où vous avez commencé. Il reste valable {{validFor}}.{{/link}}

[Se connecter]({{link}})

{{#digits}}Si c’est vous, saisissez ces chiffres là où vous avez commencé. Ils restent valables {{validFor}} :

{{digits}}{{/digits}}

Si ce n’est pas vous, ignorez ce message. Ne donnez le lien ni les chiffres à personne : personne ne vous les demandera.`,
  invitation: `Subject: Invitation{{#tenant}} à rejoindre {{tenant}}{{/tenant}}

Vous avez reçu une invitation{{#inviter}} de {{inviter}}{{/inviter}} à rejoindre {{#tenant}}{{tenant}} sur {{/tenant}}{{app}}. Elle est destinée à l’adresse {{email}}. Vous pouvez l’accepter jusqu’à cette date : {{expires}}.

[Voir l’invitation]({{link}})

Si vous n’attendiez pas cette invitation, ignorez ce message.`,
  email_change: `Subject: Confirmez votre nouvelle adresse e-mail

Il a été demandé de remplacer l’adresse d’un compte {{app}} par {{email}}. Si c’est vous, confirmez-le maintenant. Le lien reste valable {{validFor}}.

[Changer l’adresse]({{link}})

Si ce n’est pas vous, n’ouvrez pas le lien : ce compte prendrait votre adresse.`,
  email_taken: `Subject: Votre adresse e-mail est déjà utilisée

Il a été demandé de remplacer l’adresse d’un compte {{app}} par {{email}}. Un compte a déjà cette adresse, ou l’avait encore récemment : rien n’a donc changé.

Si c’est vous, connectez-vous avec cette adresse. Sinon, ignorez ce message.`,
  email_change_undo: `Subject: Votre adresse e-mail a changé

{{email}} n’est plus l’adresse de votre compte {{app}} : elle a été changée.

{{#link}}Si ce n’est pas vous, annulez ce changement. Votre compte retrouvera cette adresse et vous choisirez un nouveau mot de passe. Le lien reste valable {{validFor}}.{{/link}}

[Annuler le changement]({{link}})

Si c’est vous, vous n’avez rien à faire.`,
  email_change_undone: `Subject: Choisissez un nouveau mot de passe

Votre compte {{app}} a de nouveau l’adresse {{email}}. Votre ancien mot de passe ne fonctionne plus, car la personne qui a changé l’adresse le connaît peut-être. Les seconds facteurs, les clés d’accès et les connexions associées ont été supprimés, car cette personne a pu les ajouter. Choisissez maintenant un nouveau mot de passe. Le lien ne fonctionne qu’une fois et reste valable {{validFor}}.

[Choisir un nouveau mot de passe]({{link}})

Si le lien a expiré, demandez-en un autre comme pour un mot de passe oublié.`,
  email_change_requested: `Subject: Une nouvelle adresse e-mail a été demandée

Une personne qui connaît votre mot de passe a demandé à changer l’adresse de votre compte {{app}} {{email}}. Date de la demande : {{time}}. L’adresse changera à l’ouverture du lien envoyé à la nouvelle adresse.

Si ce n’est pas vous, changez votre mot de passe maintenant. Le lien ne sera alors plus valable.

[Ouvrir {{app}}]({{appUrl}})`,
  email_changed: `Subject: Votre adresse e-mail a changé

{{email}} est maintenant l’adresse de votre compte {{app}}. Date du changement : {{time}}. Connectez-vous désormais avec cette adresse.

Si vous ne l’avez pas demandé, le responsable de {{app}} l’a changée.`,
  password_changed: `Subject: Votre mot de passe a changé

Le mot de passe de votre compte {{app}} {{email}} a été changé. Date du changement : {{time}}.

Si ce n’est ni vous ni le responsable de {{app}}, choisissez un nouveau mot de passe maintenant. Quelqu’un d’autre connaît le vôtre ou peut lire vos messages.

[Ouvrir {{app}}]({{appUrl}})`,
  new_network: `Subject: Connexion depuis un nouveau réseau

Quelqu’un s’est connecté à votre compte {{app}} {{email}} depuis un réseau que vous n’avez pas utilisé récemment. Date : {{time}}.

Si c’est vous, vous n’avez rien à faire. Sinon, changez votre mot de passe maintenant. Cela met fin à toutes les sessions.

[Ouvrir {{app}}]({{appUrl}})`,
  session_reused: `Subject: Une session de votre compte a pris fin

Une session de votre compte {{app}} {{email}} a été fermée, car sa clé a été utilisée deux fois. Date : {{time}}. Quelqu’un l’a peut-être copiée depuis l’un de vos appareils.

Reconnectez-vous. Si cela se reproduit, changez votre mot de passe.

[Ouvrir {{app}}]({{appUrl}})`,
  factor_added: `Subject: Un second facteur a été ajouté

Un second facteur a été ajouté à votre compte {{app}} {{email}}. Date : {{time}}. Il est désormais demandé à chaque connexion.

Si ce n’est pas vous, contactez maintenant le responsable de {{app}}.

[Ouvrir {{app}}]({{appUrl}})`,
  factor_removed: `Subject: Un second facteur a été supprimé

Un second facteur de votre compte {{app}} {{email}} a été supprimé. Date : {{time}}.

Si ce n’est ni vous ni le responsable de {{app}}, changez votre mot de passe maintenant et ajoutez de nouveau un second facteur.

[Ouvrir {{app}}]({{appUrl}})`,
  recovery_codes_created: `Subject: Nouveaux codes de récupération

De nouveaux codes de récupération ont été créés pour votre compte {{app}} {{email}}. Date : {{time}}. Les précédents ne fonctionnent plus.

Si ce n’est pas vous, changez votre mot de passe maintenant et créez de nouveaux codes.

[Ouvrir {{app}}]({{appUrl}})`,
  second_step_failed: `Subject: Quelqu’un connaît votre mot de passe

Quelqu’un a saisi le bon mot de passe de votre compte {{app}} {{email}}, puis plusieurs codes erronés. Date : {{time}}. Personne ne s’est connecté.

Si ce n’est pas vous, changez votre mot de passe maintenant.

[Ouvrir {{app}}]({{appUrl}})`,
  identity_linked: `Subject: Un moyen de connexion a été ajouté

On peut désormais se connecter à votre compte {{app}} {{email}} avec {{provider}}. Date : {{time}}.

Si ce n’est pas vous, connectez-vous, supprimez {{provider}} de votre compte et changez votre mot de passe.

[Ouvrir {{app}}]({{appUrl}})`,
  identity_removed: `Subject: Un moyen de connexion a été supprimé

On ne peut plus se connecter à votre compte {{app}} {{email}} avec {{provider}}. Date : {{time}}.

Si ce n’est ni vous ni le responsable de {{app}}, changez votre mot de passe maintenant.

[Ouvrir {{app}}]({{appUrl}})`,
  account_deleted: `Subject: Votre compte a été supprimé

Votre compte {{app}} {{email}} a été supprimé. Date : {{time}}. Cette suppression est définitive.

Si ce n’est ni vous ni le responsable de {{app}}, quelqu’un d’autre connaissait votre mot de passe. Changez-le partout où vous l’utilisez encore.`,
}
