-- CreateTable
CREATE TABLE "usher"."api_key" (
    "database_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "rotated_at" TIMESTAMPTZ(3),
    "last_used_on" DATE,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateIndex
CREATE INDEX "api_key_database_id_expires_at_idx" ON "usher"."api_key"("database_id", "expires_at");

-- AddForeignKey
ALTER TABLE "usher"."api_key" ADD CONSTRAINT "api_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

