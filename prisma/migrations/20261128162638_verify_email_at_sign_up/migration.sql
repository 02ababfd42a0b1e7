-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "verify_email_at_sign_up" BOOLEAN NOT NULL DEFAULT false;

