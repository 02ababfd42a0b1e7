-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "sign_up" BOOLEAN NOT NULL DEFAULT true;

