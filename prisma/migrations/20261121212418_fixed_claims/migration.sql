-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "claims" JSONB NOT NULL DEFAULT '{}';

