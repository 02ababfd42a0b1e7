-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "hash_parameters_pruned_at" TIMESTAMPTZ(3);

