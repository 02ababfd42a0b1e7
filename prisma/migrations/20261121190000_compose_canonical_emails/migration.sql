-- Canonical emails are composed (NFC) after lower-casing now, so that J̌ohn@ and ǰohn@ are one address. If two users
-- have such addresses, both keep their keys: the one with the decomposed key has to be renamed by an operator.
UPDATE "usher"."user" AS "old" SET "email_key" = normalize("old"."email_key", NFC)
WHERE octet_length("old"."email_key") > char_length("old"."email_key")
  AND "old"."email_key" IS NOT NFC NORMALIZED
  AND NOT EXISTS (
    SELECT 1 FROM "usher"."user" AS "other"
    WHERE "other"."database_id" = "old"."database_id" AND "other"."id" <> "old"."id"
      AND normalize("other"."email_key", NFC) = normalize("old"."email_key", NFC)
  );
