-- AlterTable
ALTER TABLE "usher"."database" ADD COLUMN     "account_operations" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "session_idle" INTEGER NOT NULL DEFAULT 1209600,
ADD COLUMN     "session_max" INTEGER NOT NULL DEFAULT 7776000;

-- AlterTable
ALTER TABLE "usher"."user" ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "usher"."database_secret" (
    "database_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "activates_at" TIMESTAMPTZ(3) NOT NULL,
    "retires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_secret_pkey" PRIMARY KEY ("database_id","number")
);

-- CreateTable
CREATE TABLE "usher"."session" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "refreshes" INTEGER NOT NULL DEFAULT 0,
    "authenticated_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "refreshed_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateIndex
CREATE INDEX "session_database_id_user_id_idx" ON "usher"."session"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "session_database_id_expires_at_idx" ON "usher"."session"("database_id", "expires_at");

-- AddForeignKey
ALTER TABLE "usher"."database_secret" ADD CONSTRAINT "database_secret_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."session" ADD CONSTRAINT "session_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

