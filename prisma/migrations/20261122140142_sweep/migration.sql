-- CreateTable
CREATE TABLE "usher"."sweep" (
    "database_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sweep_pkey" PRIMARY KEY ("database_id")
);

-- CreateIndex
CREATE INDEX "code_database_id_expires_at_idx" ON "usher"."code"("database_id", "expires_at");

-- CreateIndex
CREATE INDEX "known_network_database_id_last_login_at_idx" ON "usher"."known_network"("database_id", "last_login_at");

-- CreateIndex
CREATE INDEX "outbox_tailed_idx" ON "usher"."outbox"("database_id", "created_at") WHERE (kind = 'tail');

-- AddForeignKey
ALTER TABLE "usher"."sweep" ADD CONSTRAINT "sweep_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

