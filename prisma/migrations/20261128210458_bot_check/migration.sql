-- CreateEnum
CREATE TYPE "usher"."bot_check" AS ENUM ('off', 'auto', 'always');

-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "bot_check" "usher"."bot_check" NOT NULL DEFAULT 'off';

