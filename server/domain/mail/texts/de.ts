import type { MailTexts } from './en.js'

/** The mails in German. */
export const de: MailTexts = {
  password_reset: `Subject: Neues Passwort wählen

Für Ihr Konto {{email}} bei {{app}} wurde ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie jetzt ein neues. Der Link funktioniert nur einmal und ist {{validFor}} gültig.

[Neues Passwort wählen]({{link}})

Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es ändert sich nichts.

{{#until}}Das Konto hatte vor Kurzem eine andere Adresse. Wer deren E-Mails lesen kann, kann das Konto noch bis {{until}} zurückholen. Wenn Sie von keiner anderen Adresse wissen, verwenden Sie das Konto nicht und wenden Sie sich an den Betreiber von {{app}}.{{/until}}`,
  email_verification: `Subject: Bestätigen Sie Ihre E-Mail-Adresse

Willkommen bei {{app}}. Bitte bestätigen Sie, dass {{email}} Ihre Adresse ist. Der Link ist {{validFor}} gültig.

[Adresse bestätigen]({{link}})

Wenn Sie sich nicht registriert haben, öffnen Sie den Link nicht. Dann hat sich jemand anderes mit Ihrer Adresse registriert. Sie bleibt unbestätigt.`,
  login_code: `Subject: Anmelden{{#digits}}: {{digits}}{{/digits}}

Jemand möchte sich bei {{app}} mit der Adresse {{email}} anmelden.

{{#link}}Wenn Sie das sind, öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben. Er ist {{validFor}} gültig.{{/link}}

[Anmelden]({{link}})

{{#digits}}Wenn Sie das sind, geben Sie diese Ziffern dort ein, wo Sie begonnen haben. Sie sind {{validFor}} gültig:

{{digits}}{{/digits}}

Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Geben Sie den Link und die Ziffern niemandem weiter: Niemand wird Sie danach fragen.`,
  invitation: `Subject: Einladung{{#tenant}} zu {{tenant}}{{/tenant}}

Sie wurden{{#inviter}} von {{inviter}}{{/inviter}} zu {{#tenant}}{{tenant}} bei {{/tenant}}{{app}} eingeladen. Die Einladung gilt für die Adresse {{email}}. Sie können sie bis {{expires}} annehmen.

[Einladung ansehen]({{link}})

Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail.`,
  email_change: `Subject: Bestätigen Sie Ihre neue E-Mail-Adresse

Ein Konto bei {{app}} soll die Adresse {{email}} bekommen. Wenn Sie das angefordert haben, bestätigen Sie es jetzt. Der Link ist {{validFor}} gültig.

[Adresse ändern]({{link}})

Wenn Sie das nicht waren, öffnen Sie den Link nicht: Das fremde Konto bekäme sonst Ihre Adresse.`,
  email_taken: `Subject: Ihre E-Mail-Adresse wird bereits verwendet

Ein Konto bei {{app}} sollte die Adresse {{email}} bekommen. Ein Konto hat diese Adresse bereits oder hatte sie bis vor Kurzem. Deshalb hat sich nichts geändert.

Wenn Sie das waren, melden Sie sich mit dieser Adresse an. Wenn nicht, ignorieren Sie diese E-Mail.`,
  email_change_undo: `Subject: Ihre E-Mail-Adresse wurde geändert

{{email}} ist nicht mehr die Adresse Ihres Kontos bei {{app}}. Sie wurde geändert.

{{#link}}Wenn Sie das nicht waren, machen Sie die Änderung rückgängig. Ihr Konto bekommt diese Adresse zurück, und Sie wählen ein neues Passwort. Der Link ist {{validFor}} gültig.{{/link}}

[Änderung rückgängig machen]({{link}})

Wenn Sie das waren, müssen Sie nichts tun.`,
  email_change_undone: `Subject: Neues Passwort wählen

Ihr Konto bei {{app}} hat wieder die Adresse {{email}}. Ihr altes Passwort gilt nicht mehr, denn wer die Adresse geändert hat, kennt es vielleicht. Zweite Faktoren, Passkeys und verknüpfte Anmeldungen wurden entfernt, denn sie könnten von dieser Person stammen. Wählen Sie jetzt ein neues Passwort. Der Link funktioniert nur einmal und ist {{validFor}} gültig.

[Neues Passwort wählen]({{link}})

Wenn der Link abgelaufen ist, fordern Sie einen neuen an, wie bei einem vergessenen Passwort.`,
  email_change_requested: `Subject: Eine neue E-Mail-Adresse wurde angefordert

Jemand, der Ihr Passwort kennt, hat für Ihr Konto {{email}} bei {{app}} eine neue Adresse angefordert: {{time}}. Sie gilt, sobald der Link in der E-Mail an die neue Adresse geöffnet wird.

Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort. Dann wird der Link ungültig.

[{{app}} öffnen]({{appUrl}})`,
  email_changed: `Subject: Ihre E-Mail-Adresse wurde geändert

{{email}} ist jetzt die Adresse Ihres Kontos bei {{app}}. Sie wurde geändert: {{time}}. Melden Sie sich ab jetzt mit dieser Adresse an.

Wenn Sie das nicht angefordert haben, hat der Betreiber von {{app}} sie geändert.`,
  password_changed: `Subject: Ihr Passwort wurde geändert

Das Passwort Ihres Kontos {{email}} bei {{app}} wurde geändert: {{time}}.

Wenn das weder Sie noch der Betreiber von {{app}} waren, wählen Sie jetzt ein neues Passwort. Jemand anderes kennt Ihres oder kann Ihre E-Mails lesen.

[{{app}} öffnen]({{appUrl}})`,
  new_network: `Subject: Anmeldung aus einem neuen Netzwerk

Jemand hat sich bei Ihrem Konto {{email}} bei {{app}} angemeldet, aus einem Netzwerk, das Sie in letzter Zeit nicht verwendet haben: {{time}}.

Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie jetzt Ihr Passwort. Das beendet alle Sitzungen.

[{{app}} öffnen]({{appUrl}})`,
  session_reused: `Subject: Eine Sitzung Ihres Kontos wurde beendet

Eine Sitzung Ihres Kontos {{email}} bei {{app}} wurde beendet, weil ihr Schlüssel zweimal verwendet wurde: {{time}}. Vielleicht hat ihn jemand von einem Ihrer Geräte kopiert.

Melden Sie sich wieder an. Wenn das noch einmal passiert, ändern Sie Ihr Passwort.

[{{app}} öffnen]({{appUrl}})`,
  factor_added: `Subject: Ein zweiter Faktor wurde hinzugefügt

Zu Ihrem Konto {{email}} bei {{app}} wurde ein zweiter Faktor hinzugefügt: {{time}}. Ab jetzt wird er bei jeder Anmeldung verlangt.

Wenn Sie das nicht waren, wenden Sie sich jetzt an den Betreiber von {{app}}.

[{{app}} öffnen]({{appUrl}})`,
  factor_removed: `Subject: Ein zweiter Faktor wurde entfernt

Ein zweiter Faktor Ihres Kontos {{email}} bei {{app}} wurde entfernt: {{time}}.

Wenn das weder Sie noch der Betreiber von {{app}} waren, ändern Sie jetzt Ihr Passwort und fügen Sie wieder einen zweiten Faktor hinzu.

[{{app}} öffnen]({{appUrl}})`,
  recovery_codes_created: `Subject: Neue Wiederherstellungscodes

Für Ihr Konto {{email}} bei {{app}} wurden neue Wiederherstellungscodes erstellt: {{time}}. Die bisherigen gelten nicht mehr.

Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort und erstellen Sie neue Codes.

[{{app}} öffnen]({{appUrl}})`,
  second_step_failed: `Subject: Jemand kennt Ihr Passwort

Jemand hat das richtige Passwort Ihres Kontos {{email}} bei {{app}} eingegeben und danach mehrere falsche Codes: {{time}}. Niemand hat sich angemeldet.

Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort.

[{{app}} öffnen]({{appUrl}})`,
  identity_linked: `Subject: Neue Anmeldung hinzugefügt

Mit {{provider}} kann man sich jetzt bei Ihrem Konto {{email}} bei {{app}} anmelden. Hinzugefügt: {{time}}.

Wenn Sie das nicht waren, melden Sie sich an, entfernen Sie {{provider}} aus Ihrem Konto und ändern Sie Ihr Passwort.

[{{app}} öffnen]({{appUrl}})`,
  identity_removed: `Subject: Anmeldung entfernt

Mit {{provider}} kann man sich nicht mehr bei Ihrem Konto {{email}} bei {{app}} anmelden. Entfernt: {{time}}.

Wenn das weder Sie noch der Betreiber von {{app}} waren, ändern Sie jetzt Ihr Passwort.

[{{app}} öffnen]({{appUrl}})`,
  account_deleted: `Subject: Ihr Konto wurde gelöscht

Ihr Konto {{email}} bei {{app}} wurde gelöscht: {{time}}. Das lässt sich nicht rückgängig machen.

Wenn das weder Sie noch der Betreiber von {{app}} waren, kannte jemand anderes Ihr Passwort. Ändern Sie es überall, wo Sie es sonst noch verwenden.`,
}
