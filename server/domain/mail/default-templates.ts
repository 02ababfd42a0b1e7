/** Templates by the name of the file in MAIL_TEMPLATES that replaces each. */
export const defaultTemplates = {
  'password_reset.txt': `Subject: Choose a new password

Somebody asked to choose a new password for the account {{email}}. If it was you, open this link within one hour:

{{link}}

If it was not you, ignore this message. Your password stays as it is.
`,
  'password_reset.html': `<p>Somebody asked to choose a new password for the account {{email}}. If it was you, open this link within one hour:</p>
<p><a href="{{link}}">Choose a new password</a></p>
<p>If it was not you, ignore this message. Your password stays as it is.</p>
`,
  'email_verification.txt': `Subject: Verify your email address

Open this link within 24 hours to verify that {{email}} is your address:

{{link}}

If you did not sign up, do not open the link. Somebody else has signed up with your address, which stays unverified.
`,
  'email_verification.html': `<p>Open this link within 24 hours to verify that {{email}} is your address:</p>
<p><a href="{{link}}">Verify the address</a></p>
<p>If you did not sign up, do not open the link. Somebody else has signed up with your address, which stays unverified.</p>
`,
}
