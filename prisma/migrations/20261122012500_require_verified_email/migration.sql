-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "require_verified_email" BOOLEAN NOT NULL DEFAULT false;

