-- AlterTable
ALTER TABLE "usher"."database" ALTER COLUMN "tenant_operations" SET DEFAULT true,
ALTER COLUMN "notice_password_changed" SET DEFAULT true,
ALTER COLUMN "notice_email_changed" SET DEFAULT true,
ALTER COLUMN "notice_session_reused" SET DEFAULT true,
ALTER COLUMN "notice_factor" SET DEFAULT true,
ALTER COLUMN "notice_second_step" SET DEFAULT true,
ALTER COLUMN "notice_identity" SET DEFAULT true,
ALTER COLUMN "notice_account_deleted" SET DEFAULT true,
ALTER COLUMN "second_factor" SET DEFAULT 'optional';

