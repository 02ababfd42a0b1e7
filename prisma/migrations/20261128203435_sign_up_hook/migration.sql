-- CreateEnum
CREATE TYPE "usher"."sign_up_hook_failure" AS ENUM ('refuse', 'allow');

-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "sealed_sign_up_hook_secret" BYTEA,
ADD COLUMN     "sign_up_hook_failure" "usher"."sign_up_hook_failure" NOT NULL DEFAULT 'refuse',
ADD COLUMN     "sign_up_hook_url" TEXT;

