/**
 * The mails in English, by name. A mail has a subject and paragraphs. A paragraph `[label]({{link}})` is a button in HTML.
 * Text between `{{#name}}` and `{{/name}}` is left out if the value is missing, and so is a button.
 */
export const en = {
  password_reset: `Subject: Choose a new password

Someone requested a new password for your {{app}} account {{email}}. If it was you, choose one now. The link works once, and is valid for {{validFor}}.

[Choose a new password]({{link}})

If it was not you, ignore this mail. Nothing will change.

{{#until}}The account had another address recently. Anyone who can read its mail can take the account back until {{until}}. If you do not know of another address, do not use the account, and ask the operator of {{app}}.{{/until}}`,
  email_verification: `Subject: Verify your email address

Welcome to {{app}}. Please confirm that {{email}} is your address. The link is valid for {{validFor}}.

[Verify the address]({{link}})

If you did not sign up, do not open the link. Someone else has signed up with your address, which stays unverified.`,
  login_code: `Subject: Log in{{#digits}}: {{digits}}{{/digits}}

Someone wants to log in to {{app}} with the address {{email}}.

{{#link}}If it is you, open this link in the browser where you started. It is valid for {{validFor}}.{{/link}}

[Log in]({{link}})

{{#digits}}If it is you, enter these digits where you started. They are valid for {{validFor}}:

{{digits}}{{/digits}}

If it was not you, ignore this mail. Do not give the link or the digits to anybody: nobody will ask you for them.`,
  invitation: `Subject: Invitation{{#tenant}} to {{tenant}}{{/tenant}}

You are invited{{#tenant}} to join {{tenant}}{{/tenant}}{{#inviter}} by {{inviter}}{{/inviter}} on {{app}}. The invitation is for the address {{email}}. You can accept it until {{expires}}.

[See the invitation]({{link}})

If you did not expect this invitation, ignore this mail.`,
  email_change: `Subject: Confirm your new email address

Someone requested to change the address of a {{app}} account to {{email}}. If it was you, confirm it now. The link is valid for {{validFor}}.

[Change the address]({{link}})

If it was not you, do not open the link: the account would get your address.`,
  email_taken: `Subject: Your email address is already in use

Someone requested to change the address of a {{app}} account to {{email}}. An account has this address, or had it until recently, so nothing has changed.

If it was you, log in with this address. If it was not you, ignore this mail.`,
  email_change_undo: `Subject: Your email address was changed

{{email}} is no longer the address of your {{app}} account, because it was changed.

{{#link}}If it was not you, undo the change. Your account gets this address back, and you choose a new password. The link is valid for {{validFor}}.{{/link}}

[Undo the change]({{link}})

If it was you, there is nothing to do.`,
  email_change_undone: `Subject: Choose a new password

Your {{app}} account has the address {{email}} again. Your old password no longer works, because the person who changed the address may know it. Second factors, passkeys and linked logins were removed, because that person may have added them. Choose a new password now. The link works once, and is valid for {{validFor}}.

[Choose a new password]({{link}})

If the link has expired, request a new one as for a forgotten password.`,
  email_change_requested: `Subject: A new email address was requested

On {{time}}, someone who knows your password requested to change the address of your {{app}} account {{email}}. It changes when the link in a mail to the new address is opened.

If it was not you, change your password now. This makes the link invalid.

[Open {{app}}]({{appUrl}})`,
  email_changed: `Subject: Your email address was changed

{{email}} is the address of your {{app}} account since {{time}}. Log in with it from now on.

If you did not request this, the operator of {{app}} has changed it.`,
  password_changed: `Subject: Your password was changed

The password of your {{app}} account {{email}} was changed on {{time}}.

If it was neither you nor the operator of {{app}}, choose a new password now. Someone else knows yours, or can read your mail.

[Open {{app}}]({{appUrl}})`,
  new_network: `Subject: Login from a new network

Someone logged in to your {{app}} account {{email}} on {{time}}, from a network that you have not used recently.

If it was you, there is nothing to do. If it was not you, change your password now. This ends all sessions.

[Open {{app}}]({{appUrl}})`,
  session_reused: `Subject: A session of your account has ended

A session of your {{app}} account {{email}} was ended on {{time}}, because its key was used twice. Someone may have copied it from one of your devices.

Log in again. If it happens once more, change your password.

[Open {{app}}]({{appUrl}})`,
  factor_added: `Subject: A second factor was added

A second factor was added to your {{app}} account {{email}} on {{time}}. Logins need it from now on.

If it was not you, ask the operator of {{app}} now.

[Open {{app}}]({{appUrl}})`,
  factor_removed: `Subject: A second factor was removed

A second factor of your {{app}} account {{email}} was removed on {{time}}.

If it was neither you nor the operator of {{app}}, change your password now, and add a second factor again.

[Open {{app}}]({{appUrl}})`,
  recovery_codes_created: `Subject: New recovery codes

New recovery codes for your {{app}} account {{email}} were created on {{time}}. The earlier ones no longer work.

If it was not you, change your password now, and create new codes.

[Open {{app}}]({{appUrl}})`,
  second_step_failed: `Subject: Someone knows your password

On {{time}}, someone entered the right password of your {{app}} account {{email}}, and then several wrong codes. Nobody has logged in.

If it was not you, change your password now.

[Open {{app}}]({{appUrl}})`,
  identity_linked: `Subject: A way to log in was added

On {{time}}, {{provider}} was added as a way to log in to your {{app}} account {{email}}.

If it was not you, log in, remove {{provider}} from your account, and change your password.

[Open {{app}}]({{appUrl}})`,
  identity_removed: `Subject: A way to log in was removed

On {{time}}, {{provider}} was removed as a way to log in to your {{app}} account {{email}}.

If it was neither you nor the operator of {{app}}, change your password now.

[Open {{app}}]({{appUrl}})`,
  account_deleted: `Subject: Your account was deleted

Your {{app}} account {{email}} was deleted on {{time}}. This cannot be undone.

If it was neither you nor the operator of {{app}}, someone else knew your password. Change it everywhere else you use it.`,
}

/** The name of a mail. */
export type MailName = keyof typeof en
/** The mails in one language. */
export type MailTexts = Record<MailName, string>
