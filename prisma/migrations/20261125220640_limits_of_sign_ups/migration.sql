-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "require_verified_inviter" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "sign_ups_per_hour" INTEGER NOT NULL DEFAULT 100;

