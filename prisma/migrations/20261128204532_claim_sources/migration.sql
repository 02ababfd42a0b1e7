-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "claim_sources" TEXT[] DEFAULT ARRAY[]::TEXT[];

