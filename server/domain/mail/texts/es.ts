import type { MailTexts } from './en.js'

/** The mails in Spanish. */
export const es: MailTexts = {
  password_reset: `Subject: Elige una contraseña nueva

Alguien ha solicitado una contraseña nueva para tu cuenta {{email}} de {{app}}. Si has sido tú, elígela ahora. El enlace funciona una sola vez y es válido durante {{validFor}}.

[Elegir una contraseña nueva]({{link}})

Si no has sido tú, ignora este correo. No cambiará nada.

{{#until}}Esta cuenta tenía otra dirección hasta hace poco. Quien pueda leer el correo de esa dirección puede recuperar la cuenta hasta esta fecha: {{until}}. Si no conoces ninguna otra dirección, no uses la cuenta y consulta al responsable de {{app}}.{{/until}}`,
  email_verification: `Subject: Verifica tu dirección de correo

Te damos la bienvenida a {{app}}. Confirma que {{email}} es tu dirección. El enlace es válido durante {{validFor}}.

[Verificar la dirección]({{link}})

Si no te has registrado, no abras el enlace. Otra persona se ha registrado con tu dirección, que seguirá sin verificar.`,
  login_code: `Subject: Iniciar sesión{{#digits}}: {{digits}}{{/digits}}

Alguien quiere iniciar sesión en {{app}} con la dirección {{email}}.

{{#link}}Si eres tú, abre este enlace en el navegador en el que has empezado. Es válido durante {{validFor}}.{{/link}}

[Iniciar sesión]({{link}})

{{#digits}}Si eres tú, introduce estas cifras donde has empezado. Son válidas durante {{validFor}}:

{{digits}}{{/digits}}

Si no has sido tú, ignora este correo. No des a nadie el enlace ni las cifras: nadie te los pedirá.`,
  invitation: `Subject: Invitación{{#tenant}} a {{tenant}}{{/tenant}}

Tienes una invitación{{#inviter}} de {{inviter}}{{/inviter}} para unirte a {{#tenant}}{{tenant}} en {{/tenant}}{{app}}. La invitación es para la dirección {{email}}. Puedes aceptarla hasta esta fecha: {{expires}}.

[Ver la invitación]({{link}})

Si no esperabas esta invitación, ignora este correo.`,
  email_change: `Subject: Confirma tu nueva dirección de correo

Alguien ha solicitado que la dirección de una cuenta de {{app}} pase a ser {{email}}. Si has sido tú, confírmalo ahora. El enlace es válido durante {{validFor}}.

[Cambiar la dirección]({{link}})

Si no has sido tú, no abras el enlace: esa cuenta se quedaría con tu dirección.`,
  email_taken: `Subject: Tu dirección de correo ya está en uso

Alguien ha solicitado que la dirección de una cuenta de {{app}} pase a ser {{email}}. Una cuenta tiene esta dirección, o la tenía hasta hace poco, así que no ha cambiado nada.

Si has sido tú, inicia sesión con esta dirección. Si no, ignora este correo.`,
  email_change_undo: `Subject: Tu dirección de correo ha cambiado

{{email}} ya no es la dirección de tu cuenta de {{app}}, porque se ha cambiado.

{{#link}}Si no has sido tú, deshaz el cambio. Tu cuenta recuperará esta dirección y elegirás una contraseña nueva. El enlace es válido durante {{validFor}}.{{/link}}

[Deshacer el cambio]({{link}})

Si has sido tú, no tienes que hacer nada.`,
  email_change_undone: `Subject: Elige una contraseña nueva

Tu cuenta de {{app}} vuelve a tener la dirección {{email}}. Tu contraseña anterior ya no funciona, porque la persona que cambió la dirección quizá la conozca. Se han quitado los segundos factores, las llaves de acceso y los inicios de sesión vinculados, porque esa persona puede haberlos añadido. Elige ahora una contraseña nueva. El enlace funciona una sola vez y es válido durante {{validFor}}.

[Elegir una contraseña nueva]({{link}})

Si el enlace ha caducado, solicita otro como si hubieras olvidado la contraseña.`,
  email_change_requested: `Subject: Se ha solicitado una nueva dirección de correo

Alguien que conoce tu contraseña ha solicitado cambiar la dirección de tu cuenta {{email}} de {{app}}. Fecha de la solicitud: {{time}}. La dirección cambiará cuando se abra el enlace del correo enviado a la nueva.

Si no has sido tú, cambia ahora tu contraseña. Así el enlace dejará de ser válido.

[Abrir {{app}}]({{appUrl}})`,
  email_changed: `Subject: Tu dirección de correo ha cambiado

{{email}} es ahora la dirección de tu cuenta de {{app}}. Fecha del cambio: {{time}}. A partir de ahora, inicia sesión con ella.

Si no lo has solicitado tú, la ha cambiado el responsable de {{app}}.`,
  password_changed: `Subject: Tu contraseña ha cambiado

Se ha cambiado la contraseña de tu cuenta {{email}} de {{app}}. Fecha del cambio: {{time}}.

Si no has sido tú ni el responsable de {{app}}, elige ahora una contraseña nueva. Otra persona conoce la tuya o puede leer tu correo.

[Abrir {{app}}]({{appUrl}})`,
  new_network: `Subject: Inicio de sesión desde una red nueva

Alguien ha iniciado sesión en tu cuenta {{email}} de {{app}} desde una red que no has usado últimamente. Fecha: {{time}}.

Si has sido tú, no tienes que hacer nada. Si no, cambia ahora tu contraseña. Así se cerrarán todas las sesiones.

[Abrir {{app}}]({{appUrl}})`,
  session_reused: `Subject: Se ha cerrado una sesión de tu cuenta

Se ha cerrado una sesión de tu cuenta {{email}} de {{app}} porque su clave se usó dos veces. Fecha: {{time}}. Es posible que alguien la haya copiado de uno de tus dispositivos.

Vuelve a iniciar sesión. Si ocurre otra vez, cambia tu contraseña.

[Abrir {{app}}]({{appUrl}})`,
  factor_added: `Subject: Se ha añadido un segundo factor

Se ha añadido un segundo factor a tu cuenta {{email}} de {{app}}. Fecha: {{time}}. A partir de ahora se pedirá al iniciar sesión.

Si no has sido tú, ponte en contacto ahora con el responsable de {{app}}.

[Abrir {{app}}]({{appUrl}})`,
  factor_removed: `Subject: Se ha quitado un segundo factor

Se ha quitado un segundo factor de tu cuenta {{email}} de {{app}}. Fecha: {{time}}.

Si no has sido tú ni el responsable de {{app}}, cambia ahora tu contraseña y vuelve a añadir un segundo factor.

[Abrir {{app}}]({{appUrl}})`,
  recovery_codes_created: `Subject: Nuevos códigos de recuperación

Se han creado nuevos códigos de recuperación para tu cuenta {{email}} de {{app}}. Fecha: {{time}}. Los anteriores ya no sirven.

Si no has sido tú, cambia ahora tu contraseña y crea códigos nuevos.

[Abrir {{app}}]({{appUrl}})`,
  second_step_failed: `Subject: Alguien conoce tu contraseña

Alguien ha introducido la contraseña correcta de tu cuenta {{email}} de {{app}} y después varios códigos incorrectos. Fecha: {{time}}. Nadie ha iniciado sesión.

Si no has sido tú, cambia ahora tu contraseña.

[Abrir {{app}}]({{appUrl}})`,
  identity_linked: `Subject: Se ha añadido una forma de iniciar sesión

Ahora se puede iniciar sesión en tu cuenta {{email}} de {{app}} con {{provider}}. Fecha: {{time}}.

Si no has sido tú, inicia sesión, quita {{provider}} de tu cuenta y cambia tu contraseña.

[Abrir {{app}}]({{appUrl}})`,
  identity_removed: `Subject: Se ha quitado una forma de iniciar sesión

Ya no se puede iniciar sesión en tu cuenta {{email}} de {{app}} con {{provider}}. Fecha: {{time}}.

Si no has sido tú ni el responsable de {{app}}, cambia ahora tu contraseña.

[Abrir {{app}}]({{appUrl}})`,
  account_deleted: `Subject: Tu cuenta se ha eliminado

Se ha eliminado tu cuenta {{email}} de {{app}}. Fecha: {{time}}. No se puede deshacer.

Si no has sido tú ni el responsable de {{app}}, otra persona conocía tu contraseña. Cámbiala en todos los demás sitios donde la uses.`,
}
