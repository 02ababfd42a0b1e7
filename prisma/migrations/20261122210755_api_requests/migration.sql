-- CreateTable
CREATE TABLE "usher"."api_request" (
    "database_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "response" JSON NOT NULL,
    "user_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_request_pkey" PRIMARY KEY ("database_id","key")
);

-- CreateIndex
CREATE INDEX "api_request_database_id_user_id_idx" ON "usher"."api_request"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "api_request_database_id_created_at_idx" ON "usher"."api_request"("database_id", "created_at");

-- AddForeignKey
ALTER TABLE "usher"."api_request" ADD CONSTRAINT "api_request_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."api_request" ADD CONSTRAINT "api_request_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

