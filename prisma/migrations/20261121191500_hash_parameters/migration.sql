-- CreateTable
CREATE TABLE "usher"."hash_parameters" (
    "database_id" UUID NOT NULL,
    "dummy_hash" TEXT NOT NULL,

    CONSTRAINT "hash_parameters_pkey" PRIMARY KEY ("database_id","dummy_hash")
);

-- AddForeignKey
ALTER TABLE "usher"."hash_parameters" ADD CONSTRAINT "hash_parameters_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Copy what servers have noted so far. The former column stays for those that still run.
INSERT INTO "usher"."hash_parameters" ("database_id", "dummy_hash") SELECT DISTINCT "id", unnest("decoy_hashes") FROM "usher"."database";
