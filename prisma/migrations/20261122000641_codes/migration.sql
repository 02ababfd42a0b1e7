-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "app_url" TEXT;

-- CreateTable
CREATE TABLE "usher"."code" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "email_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."code_request" (
    "database_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "source" BYTEA NOT NULL,
    "times" TIMESTAMPTZ(3)[],
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_request_pkey" PRIMARY KEY ("database_id","purpose","source")
);

-- CreateIndex
CREATE UNIQUE INDEX "code_database_id_user_id_purpose_key" ON "usher"."code"("database_id", "user_id", "purpose");

-- CreateIndex
CREATE INDEX "code_request_database_id_last_at_idx" ON "usher"."code_request"("database_id", "last_at");

-- AddForeignKey
ALTER TABLE "usher"."code" ADD CONSTRAINT "code_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."code_request" ADD CONSTRAINT "code_request_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

