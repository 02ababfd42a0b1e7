-- AlterTable
ALTER TABLE "usher"."code" ADD COLUMN     "generation" BIGINT;

-- AlterTable
ALTER TABLE "usher"."session" ADD COLUMN     "generation" BIGINT;

-- AlterTable
ALTER TABLE "usher"."user" ADD COLUMN     "generation" BIGINT NOT NULL DEFAULT ((EXTRACT(epoch FROM now()) * (1000)::numeric))::bigint;

