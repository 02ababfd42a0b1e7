/** Templates by the name of the file in MAIL_TEMPLATES that replaces each. */
export const defaultTemplates = {
  'password_reset.txt': `Subject: Choose a new password

Someone requested a new password for the account {{email}}. If it was you, open this link within one hour:

{{link}}

If it was not you, ignore this message. Nothing will change.
{{#until}}
The account had another address recently. Anyone who can read its mail can take the account back until {{until}}. If you do not know of another address, do not use the account, and ask the operator of the app.
{{/until}}`,
  'password_reset.html': `<p>Someone requested a new password for the account {{email}}. If it was you, open this link within one hour:</p>
<p><a href="{{link}}">Choose a new password</a></p>
<p>If it was not you, ignore this message. Nothing will change.</p>
{{#until}}<p>The account had another address recently. Anyone who can read its mail can take the account back until {{until}}. If you do not know of another address, do not use the account, and ask the operator of the app.</p>
{{/until}}`,
  'email_verification.txt': `Subject: Verify your email address

Open this link within 24 hours to verify that {{email}} is your address:

{{link}}

If you did not sign up, do not open the link. Someone else has signed up with your address, which stays unverified.
`,
  'email_verification.html': `<p>Open this link within 24 hours to verify that {{email}} is your address:</p>
<p><a href="{{link}}">Verify the address</a></p>
<p>If you did not sign up, do not open the link. Someone else has signed up with your address, which stays unverified.</p>
`,
  'invitation.txt': `Subject: Invitation{{#tenant}} to {{tenant}}{{/tenant}}

You are invited{{#tenant}} to join {{tenant}}{{/tenant}}{{#inviter}} by {{inviter}}{{/inviter}}. To accept with the address {{email}}, open this link before {{expires}}:

{{link}}

If you did not expect this invitation, ignore this message.
`,
  'invitation.html': `<p>You are invited{{#tenant}} to join {{tenant}}{{/tenant}}{{#inviter}} by {{inviter}}{{/inviter}}. To accept with the address {{email}}, open this link before {{expires}}:</p>
<p><a href="{{link}}">See the invitation</a></p>
<p>If you did not expect this invitation, ignore this message.</p>
`,
  'email_change.txt': `Subject: Confirm your new email address

Someone requested to change the address of an account to {{email}}. If it was you, open this link within one hour:

{{link}}

If it was not you, do not open the link: the account would get your address.
`,
  'email_change.html': `<p>Someone requested to change the address of an account to {{email}}. If it was you, open this link within one hour:</p>
<p><a href="{{link}}">Change the address</a></p>
<p>If it was not you, do not open the link: the account would get your address.</p>
`,
  'login_code.txt': `Subject: Log in{{#digits}}: {{digits}}{{/digits}}

Someone wants to log in with the address {{email}}.

{{#link}}If it is you, open this link within 10 minutes, in the browser where you started:

{{link}}

{{/link}}{{#digits}}If it is you, enter these digits within 10 minutes where you started:

{{digits}}

{{/digits}}If it was not you, ignore this message. Do not give the link or the digits to anybody: nobody will ask you for them.
`,
  'login_code.html': `<p>Someone wants to log in with the address {{email}}.</p>
{{#link}}<p>If it is you, open this link within 10 minutes, in the browser where you started:</p>
<p><a href="{{link}}">Log in</a></p>
{{/link}}{{#digits}}<p>If it is you, enter these digits within 10 minutes where you started:</p>
<p>{{digits}}</p>
{{/digits}}<p>If it was not you, ignore this message. Do not give the link or the digits to anybody: nobody will ask you for them.</p>
`,
  'email_taken.txt': `Subject: Your email address is already in use

Someone requested to change the address of an account to {{email}}. An account has this address, or had it until recently, so nothing has changed.

If it was you, log in with this address. If it was not you, ignore this message.
`,
  'email_taken.html': `<p>Someone requested to change the address of an account to {{email}}. An account has this address, or had it until recently, so nothing has changed.</p>
<p>If it was you, log in with this address. If it was not you, ignore this message.</p>
`,
  'email_change_undo.txt': `Subject: Your email address was changed

{{email}} is no longer the address of your account, because it was changed.

{{#link}}If it was not you, open this link within 7 days. Your account gets this address back, and you choose a new password:

{{link}}

{{/link}}If it was you, there is nothing to do.
`,
  'email_change_undo.html': `<p>{{email}} is no longer the address of your account, because it was changed.</p>
{{#link}}<p>If it was not you, open this link within 7 days. Your account gets this address back, and you choose a new password:</p>
<p><a href="{{link}}">Undo the change</a></p>
{{/link}}<p>If it was you, there is nothing to do.</p>
`,
  'email_change_undone.txt': `Subject: Choose a new password

Your account has the address {{email}} again. Your old password no longer works, because the person who changed the address may know it. Open this link within one hour to choose a new one:

{{link}}

After that, request a new link as for a forgotten password.
`,
  'email_change_undone.html': `<p>Your account has the address {{email}} again. Your old password no longer works, because the person who changed the address may know it. Open this link within one hour to choose a new one:</p>
<p><a href="{{link}}">Choose a new password</a></p>
<p>After that, request a new link as for a forgotten password.</p>
`,
  'email_change_requested.txt': `Subject: A new email address was requested

Someone who knows your password requested at {{time}} to change the address of the account {{email}}. It changes when the link in a mail to the new address is opened.

If it was not you, change your password now{{#app}} at {{app}}{{/app}}. This makes the link invalid.
`,
  'email_change_requested.html': `<p>Someone who knows your password requested at {{time}} to change the address of the account {{email}}. It changes when the link in a mail to the new address is opened.</p>
<p>If it was not you, change your password now{{#app}} at {{app}}{{/app}}. This makes the link invalid.</p>
`,
  'email_changed.txt': `Subject: Your email address was changed

{{email}} has been the address of your account since {{time}}. Log in with it from now on.

If you did not request this, the operator of the app has changed it.
`,
  'email_changed.html': `<p>{{email}} has been the address of your account since {{time}}. Log in with it from now on.</p>
<p>If you did not request this, the operator of the app has changed it.</p>
`,
  'password_changed.txt': `Subject: Your password was changed

The password of the account {{email}} was changed at {{time}}.

If it was neither you nor the operator of the app, choose a new password{{#app}} at {{app}}{{/app}}: someone else knows yours, or can read your mail.
`,
  'password_changed.html': `<p>The password of the account {{email}} was changed at {{time}}.</p>
<p>If it was neither you nor the operator of the app, choose a new password{{#app}} at {{app}}{{/app}}: someone else knows yours, or can read your mail.</p>
`,
  'new_network.txt': `Subject: Login from a new network

Someone logged in to the account {{email}} at {{time}}, from a network that you have not used recently.

If it was not you, change your password{{#app}} at {{app}}{{/app}}. This ends all sessions.
`,
  'new_network.html': `<p>Someone logged in to the account {{email}} at {{time}}, from a network that you have not used recently.</p>
<p>If it was not you, change your password{{#app}} at {{app}}{{/app}}. This ends all sessions.</p>
`,
  'session_reused.txt': `Subject: A session of your account has ended

A session of the account {{email}} was ended at {{time}}, because its key was used twice. Someone may have copied it from one of your devices.

Log in again{{#app}} at {{app}}{{/app}}. If it happens again, change your password.
`,
  'session_reused.html': `<p>A session of the account {{email}} was ended at {{time}}, because its key was used twice. Someone may have copied it from one of your devices.</p>
<p>Log in again{{#app}} at {{app}}{{/app}}. If it happens again, change your password.</p>
`,
  'account_deleted.txt': `Subject: Your account was deleted

The account {{email}} was deleted at {{time}}. This cannot be undone.

If it was neither you nor the operator of the app, someone else knew your password. Change it everywhere else you use it.
`,
  'account_deleted.html': `<p>The account {{email}} was deleted at {{time}}. This cannot be undone.</p>
<p>If it was neither you nor the operator of the app, someone else knew your password. Change it everywhere else you use it.</p>
`,
}
