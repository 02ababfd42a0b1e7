-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "network_failures_per_hour" INTEGER NOT NULL DEFAULT 300;

-- CreateTable
CREATE TABLE "usher"."network_failures" (
    "database_id" UUID NOT NULL,
    "network" BYTEA NOT NULL,
    "full_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "network_failures_pkey" PRIMARY KEY ("database_id","network")
);

-- CreateTable
CREATE TABLE "usher"."known_network" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "network" BYTEA NOT NULL,
    "last_login_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_network_pkey" PRIMARY KEY ("database_id","user_id","network")
);

-- CreateIndex
CREATE INDEX "network_failures_database_id_full_at_idx" ON "usher"."network_failures"("database_id", "full_at");

-- AddForeignKey
ALTER TABLE "usher"."network_failures" ADD CONSTRAINT "network_failures_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."known_network" ADD CONSTRAINT "known_network_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

