-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "usher";

-- CreateEnum
CREATE TYPE "usher"."password_policy" AS ENUM ('none', 'standard', 'nist');

-- CreateEnum
CREATE TYPE "usher"."login_mail" AS ENUM ('off', 'code', 'link', 'both');

-- CreateEnum
CREATE TYPE "usher"."second_factor" AS ENUM ('off', 'optional', 'required');

-- CreateEnum
CREATE TYPE "usher"."signing_algorithm" AS ENUM ('ES256', 'RS256', 'EdDSA');

-- CreateTable
CREATE TABLE "usher"."workspace" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usher"."database" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "password_policy" "usher"."password_policy" NOT NULL DEFAULT 'standard',
    "signing_algorithm" "usher"."signing_algorithm" NOT NULL DEFAULT 'ES256',
    "token_max_age" INTEGER,
    "network_failures_per_hour" INTEGER NOT NULL DEFAULT 300,
    "mails_per_hour" INTEGER NOT NULL DEFAULT 1000,
    "sign_ups_per_hour" INTEGER NOT NULL DEFAULT 100,
    "claims" JSONB NOT NULL DEFAULT '{}',
    "sign_up" BOOLEAN NOT NULL DEFAULT true,
    "account_operations" BOOLEAN NOT NULL DEFAULT true,
    "tenant_operations" BOOLEAN NOT NULL DEFAULT false,
    "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "require_verified_inviter" BOOLEAN NOT NULL DEFAULT true,
    "invitation_lifetime" INTEGER NOT NULL DEFAULT 604800,
    "notice_password_changed" BOOLEAN NOT NULL DEFAULT false,
    "notice_email_changed" BOOLEAN NOT NULL DEFAULT false,
    "notice_new_network" BOOLEAN NOT NULL DEFAULT false,
    "notice_session_reused" BOOLEAN NOT NULL DEFAULT false,
    "notice_factor" BOOLEAN NOT NULL DEFAULT false,
    "notice_second_step" BOOLEAN NOT NULL DEFAULT false,
    "notice_identity" BOOLEAN NOT NULL DEFAULT false,
    "notice_account_deleted" BOOLEAN NOT NULL DEFAULT false,
    "require_verified_email" BOOLEAN NOT NULL DEFAULT false,
    "login_mail" "usher"."login_mail" NOT NULL DEFAULT 'off',
    "second_factor" "usher"."second_factor" NOT NULL DEFAULT 'off',
    "second_factor_grace" INTEGER NOT NULL DEFAULT 0,
    "second_factor_required_at" TIMESTAMPTZ(3),
    "verify_email_with_token" BOOLEAN NOT NULL DEFAULT false,
    "session_idle" INTEGER NOT NULL DEFAULT 1209600,
    "session_max" INTEGER NOT NULL DEFAULT 7776000,
    "sessions_per_user" INTEGER NOT NULL DEFAULT 100,
    "login_redirects" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "passkey_domain" TEXT,
    "passkey_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "app_url" TEXT,
    "webhook_url" TEXT,
    "sealed_webhook_secret" BYTEA,
    "events_kept" INTEGER NOT NULL DEFAULT 0,
    "is_operators" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usher"."mail_settings" (
    "database_id" UUID NOT NULL,
    "app_name" TEXT,
    "mail_sender" TEXT,
    "mail_reply_to" TEXT,
    "mail_logo_url" TEXT,
    "mail_color" TEXT,
    "mail_locale" TEXT,

    CONSTRAINT "mail_settings_pkey" PRIMARY KEY ("database_id")
);

-- CreateTable
CREATE TABLE "usher"."mail_template" (
    "database_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "html" TEXT,

    CONSTRAINT "mail_template_pkey" PRIMARY KEY ("database_id","name","locale")
);

-- CreateTable
CREATE TABLE "usher"."signing_key" (
    "database_id" UUID NOT NULL,
    "kid" TEXT NOT NULL,
    "algorithm" "usher"."signing_algorithm" NOT NULL,
    "public_key" TEXT NOT NULL,
    "sealed_private_key" BYTEA NOT NULL,
    "activates_at" TIMESTAMPTZ(3) NOT NULL,
    "retires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("database_id","kid")
);

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
CREATE TABLE "usher"."hash_parameters" (
    "database_id" UUID NOT NULL,
    "dummy_hash" TEXT NOT NULL,

    CONSTRAINT "hash_parameters_pkey" PRIMARY KEY ("database_id","dummy_hash")
);

-- CreateTable
CREATE TABLE "usher"."user" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "password_hash" TEXT,
    "preferred_name" TEXT,
    "locale" TEXT,
    "email_verified_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "needs_second_step" BOOLEAN,
    "generation" BIGINT NOT NULL DEFAULT ((EXTRACT(epoch FROM now()) * (1000)::numeric))::bigint,
    "tenants_version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "external_id" TEXT,
    "metadata" JSON,
    "private_metadata" JSON,
    "reserved_for" UUID,
    "reserved_until" TIMESTAMPTZ(3),

    CONSTRAINT "user_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."tenant" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "external_id" TEXT,
    "metadata" JSON,
    "private_metadata" JSON,
    "seats" INTEGER,
    "creator_id" UUID,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."membership" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL,
    "role" TEXT NOT NULL DEFAULT 'member',

    CONSTRAINT "membership_pkey" PRIMARY KEY ("database_id","user_id","tenant_id")
);

-- CreateTable
CREATE TABLE "usher"."invitation" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "inviter_id" UUID,
    "code_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."session" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "refreshes" INTEGER NOT NULL DEFAULT 0,
    "label" TEXT,
    "generation" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "amr" TEXT[],
    "proven_at" TIMESTAMPTZ(3) NOT NULL,
    "refreshed_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."login_failures" (
    "database_id" UUID NOT NULL,
    "address" BYTEA NOT NULL,
    "network" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_failure_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_failures_pkey" PRIMARY KEY ("database_id","address","network")
);

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

-- CreateTable
CREATE TABLE "usher"."idempotency_key" (
    "database_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "email_key" TEXT NOT NULL,
    "tenant_name" TEXT,
    "invitation_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("database_id","key")
);

-- CreateTable
CREATE TABLE "usher"."outbox" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "user_id" UUID,
    "payload" JSONB NOT NULL,
    "recipient" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."outbox_stream" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "has_failed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "outbox_stream_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."code" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "email_key" TEXT NOT NULL,
    "email" TEXT,
    "generation" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "message_stored_at" TIMESTAMPTZ(6),

    CONSTRAINT "code_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."login_attempt" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "email" TEXT,
    "email_key" TEXT,
    "connection" TEXT,
    "claims" JSONB,
    "generation" BIGINT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "used_at" TIMESTAMPTZ(3),
    "user_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_attempt_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."connection" (
    "database_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "preset" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_secret" BYTEA,
    "options" JSONB NOT NULL DEFAULT '{}',
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connection_pkey" PRIMARY KEY ("database_id","name")
);

-- CreateTable
CREATE TABLE "usher"."identity" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "connection" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "email" TEXT,
    "is_proven" BOOLEAN NOT NULL,
    "linked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."factor" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT,
    "sealed_secret" BYTEA,
    "last_step" BIGINT,
    "credential_id" BYTEA,
    "public_key" BYTEA,
    "user_handle" BYTEA,
    "domain" TEXT,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sign_count" BIGINT,
    "is_synced" BOOLEAN,
    "logs_in" BOOLEAN NOT NULL DEFAULT false,
    "last_used_on" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "factor_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."recovery_code" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("database_id","user_id","hash")
);

-- CreateTable
CREATE TABLE "usher"."used_challenge" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_challenge_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."factor_guess" (
    "database_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "is_known" BOOLEAN NOT NULL,
    "full_at" TIMESTAMPTZ(3) NOT NULL,
    "failures" INTEGER NOT NULL,

    CONSTRAINT "factor_guess_pkey" PRIMARY KEY ("database_id","user_id","is_known")
);

-- CreateTable
CREATE TABLE "usher"."data_key" (
    "database_id" UUID NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "data_key_pkey" PRIMARY KEY ("database_id")
);

-- CreateTable
CREATE TABLE "usher"."code_request" (
    "database_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "source" BYTEA NOT NULL,
    "counted_at" TIMESTAMPTZ(3) NOT NULL,
    "full_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_request_pkey" PRIMARY KEY ("database_id","purpose","source")
);

-- CreateTable
CREATE TABLE "usher"."sweep" (
    "database_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "users" BIGINT,
    "counted_at" TIMESTAMPTZ(3),

    CONSTRAINT "sweep_pkey" PRIMARY KEY ("database_id")
);

-- CreateTable
CREATE TABLE "usher"."daily_statistics" (
    "database_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "sign_ups" INTEGER NOT NULL,
    "logins" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "throttled" INTEGER NOT NULL,
    "mails" INTEGER NOT NULL,
    "mails_failed" INTEGER NOT NULL,

    CONSTRAINT "daily_statistics_pkey" PRIMARY KEY ("database_id","day")
);

-- CreateTable
CREATE TABLE "usher"."operator_action" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "operator_id" UUID NOT NULL,
    "operator_email" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "workspace" TEXT,
    "database" TEXT,
    "target" TEXT,
    "tenant_id" UUID,
    "fields" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT,

    CONSTRAINT "operator_action_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."server_status" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "status" JSONB NOT NULL,

    CONSTRAINT "server_status_pkey" PRIMARY KEY ("database_id","id")
);

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

-- CreateTable
CREATE TABLE "usher"."kept_event" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGINT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),

    CONSTRAINT "kept_event_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."event_cursor" (
    "database_id" UUID NOT NULL,
    "lineage" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_cursor_pkey" PRIMARY KEY ("database_id")
);

-- CreateTable
CREATE TABLE "usher"."revocation" (
    "database_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGINT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "actor_id" UUID,

    CONSTRAINT "revocation_pkey" PRIMARY KEY ("database_id","id")
);

-- CreateTable
CREATE TABLE "usher"."revocation_cursor" (
    "database_id" UUID NOT NULL,
    "lineage" TEXT NOT NULL,
    "last_seq" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "revocation_cursor_pkey" PRIMARY KEY ("database_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "workspace_slug_key" ON "usher"."workspace"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "database_workspace_id_name_key" ON "usher"."database"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "database_operators_key" ON "usher"."database"("is_operators") WHERE (is_operators);

-- CreateIndex
CREATE INDEX "user_disabled_account_idx" ON "usher"."user"("database_id", "id") WHERE (disabled_at IS NOT NULL AND reserved_for IS NULL);

-- CreateIndex
CREATE INDEX "user_second_step_idx" ON "usher"."user"("database_id", "id") WHERE (needs_second_step IS NOT NULL AND reserved_for IS NULL);

-- CreateIndex
CREATE INDEX "user_reserved_for_idx" ON "usher"."user"("database_id", "reserved_for") WHERE (reserved_for IS NOT NULL);

-- CreateIndex
CREATE INDEX "user_reserved_until_idx" ON "usher"."user"("database_id", "reserved_until") WHERE (reserved_until IS NOT NULL);

-- CreateIndex
-- By bytes, which Prisma does not read back, so that it finds prefixes. The unique index has the order of the cluster's language.
CREATE INDEX "user_email_prefix_idx" ON "usher"."user"("database_id", "email_key" text_pattern_ops);

-- CreateIndex
CREATE UNIQUE INDEX "user_database_id_email_key_key" ON "usher"."user"("database_id", "email_key");

-- CreateIndex
CREATE UNIQUE INDEX "user_database_id_external_id_key" ON "usher"."user"("database_id", "external_id") WHERE (external_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "tenant_creator_idx" ON "usher"."tenant"("database_id", "creator_id") WHERE (creator_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_database_id_external_id_key" ON "usher"."tenant"("database_id", "external_id") WHERE (external_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "membership_database_id_tenant_id_user_id_idx" ON "usher"."membership"("database_id", "tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "membership_role_idx" ON "usher"."membership"("database_id", "role", "tenant_id", "user_id") WHERE (role <> 'member');

-- CreateIndex
CREATE INDEX "invitation_database_id_email_key_idx" ON "usher"."invitation"("database_id", "email_key");

-- CreateIndex
CREATE INDEX "invitation_database_id_inviter_id_idx" ON "usher"."invitation"("database_id", "inviter_id");

-- CreateIndex
CREATE INDEX "invitation_database_id_expires_at_idx" ON "usher"."invitation"("database_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_database_id_tenant_id_email_key_key" ON "usher"."invitation"("database_id", "tenant_id", "email_key");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_database_id_code_id_key" ON "usher"."invitation"("database_id", "code_id");

-- CreateIndex
CREATE INDEX "session_database_id_user_id_idx" ON "usher"."session"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "session_database_id_expires_at_idx" ON "usher"."session"("database_id", "expires_at");

-- CreateIndex
CREATE INDEX "login_failures_database_id_last_failure_at_idx" ON "usher"."login_failures"("database_id", "last_failure_at");

-- CreateIndex
CREATE INDEX "network_failures_database_id_full_at_idx" ON "usher"."network_failures"("database_id", "full_at");

-- CreateIndex
CREATE INDEX "known_network_database_id_last_login_at_idx" ON "usher"."known_network"("database_id", "last_login_at");

-- CreateIndex
CREATE INDEX "idempotency_key_database_id_user_id_idx" ON "usher"."idempotency_key"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "idempotency_key_database_id_created_at_idx" ON "usher"."idempotency_key"("database_id", "created_at");

-- CreateIndex
CREATE INDEX "outbox_database_id_user_id_idx" ON "usher"."outbox"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "outbox_event_idx" ON "usher"."outbox"("database_id", "user_id", "stored_at", "id") WHERE (kind = 'webhook');

-- CreateIndex
CREATE INDEX "outbox_mail_idx" ON "usher"."outbox"("database_id", "due_at") WHERE (kind = 'mail');

-- CreateIndex
CREATE INDEX "outbox_not_retried_idx" ON "usher"."outbox"("database_id", "id") WHERE (due_at IS NULL);

-- CreateIndex
CREATE INDEX "outbox_not_retried_count_idx" ON "usher"."outbox"("kind", "database_id") WHERE (due_at IS NULL);

-- CreateIndex
CREATE INDEX "outbox_recipient_idx" ON "usher"."outbox"("database_id", "created_at") WHERE (recipient IS NOT NULL);

-- CreateIndex
CREATE INDEX "outbox_stream_database_id_due_at_idx" ON "usher"."outbox_stream"("database_id", "due_at") WHERE (due_at > '-infinity');

-- CreateIndex
CREATE INDEX "outbox_stream_not_failed_idx" ON "usher"."outbox_stream"("database_id", "due_at") WHERE (due_at > '-infinity' AND NOT has_failed);

-- CreateIndex
CREATE INDEX "code_database_id_expires_at_idx" ON "usher"."code"("database_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "code_database_id_user_id_purpose_key" ON "usher"."code"("database_id", "user_id", "purpose");

-- CreateIndex
CREATE INDEX "login_attempt_database_id_expires_at_idx" ON "usher"."login_attempt"("database_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "identity_database_id_connection_issuer_subject_key" ON "usher"."identity"("database_id", "connection", "issuer", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "identity_database_id_user_id_connection_key" ON "usher"."identity"("database_id", "user_id", "connection");

-- CreateIndex
CREATE INDEX "factor_database_id_user_id_idx" ON "usher"."factor"("database_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "factor_database_id_credential_id_key" ON "usher"."factor"("database_id", "credential_id");

-- CreateIndex
CREATE INDEX "used_challenge_database_id_expires_at_idx" ON "usher"."used_challenge"("database_id", "expires_at");

-- CreateIndex
CREATE INDEX "code_request_database_id_full_at_idx" ON "usher"."code_request"("database_id", "full_at");

-- CreateIndex
CREATE INDEX "operator_action_database_id_created_at_idx" ON "usher"."operator_action"("database_id", "created_at");

-- CreateIndex
CREATE INDEX "operator_action_database_id_operator_id_id_idx" ON "usher"."operator_action"("database_id", "operator_id", "id");

-- CreateIndex
CREATE INDEX "operator_action_database_id_workspace_database_id_idx" ON "usher"."operator_action"("database_id", "workspace", "database", "id");

-- CreateIndex
CREATE INDEX "operator_action_database_id_target_id_idx" ON "usher"."operator_action"("database_id", "target", "id");

-- CreateIndex
CREATE INDEX "api_key_database_id_expires_at_idx" ON "usher"."api_key"("database_id", "expires_at");

-- CreateIndex
CREATE INDEX "api_request_database_id_user_id_idx" ON "usher"."api_request"("database_id", "user_id");

-- CreateIndex
CREATE INDEX "api_request_database_id_created_at_idx" ON "usher"."api_request"("database_id", "created_at");

-- CreateIndex
CREATE INDEX "kept_event_unnumbered_idx" ON "usher"."kept_event"("database_id", "stored_at", "id") WHERE (seq IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "kept_event_seq_key" ON "usher"."kept_event"("database_id", "seq") WHERE (seq IS NOT NULL);

-- CreateIndex
CREATE INDEX "revocation_unnumbered_idx" ON "usher"."revocation"("database_id", "stored_at", "id") WHERE (seq IS NULL);

-- CreateIndex
CREATE INDEX "revocation_actor_idx" ON "usher"."revocation"("database_id", "actor_id") WHERE (actor_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "revocation_seq_key" ON "usher"."revocation"("database_id", "seq") WHERE (seq IS NOT NULL);

-- AddForeignKey
ALTER TABLE "usher"."database" ADD CONSTRAINT "database_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "usher"."workspace"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."mail_settings" ADD CONSTRAINT "mail_settings_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."mail_template" ADD CONSTRAINT "mail_template_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."signing_key" ADD CONSTRAINT "signing_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."database_secret" ADD CONSTRAINT "database_secret_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."hash_parameters" ADD CONSTRAINT "hash_parameters_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."user" ADD CONSTRAINT "user_database_id_reserved_for_fkey" FOREIGN KEY ("database_id", "reserved_for") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."user" ADD CONSTRAINT "user_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."tenant" ADD CONSTRAINT "tenant_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."membership" ADD CONSTRAINT "membership_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."membership" ADD CONSTRAINT "membership_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_tenant_id_fkey" FOREIGN KEY ("database_id", "tenant_id") REFERENCES "usher"."tenant"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."invitation" ADD CONSTRAINT "invitation_database_id_inviter_id_fkey" FOREIGN KEY ("database_id", "inviter_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."session" ADD CONSTRAINT "session_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."login_failures" ADD CONSTRAINT "login_failures_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."network_failures" ADD CONSTRAINT "network_failures_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."known_network" ADD CONSTRAINT "known_network_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."idempotency_key" ADD CONSTRAINT "idempotency_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."idempotency_key" ADD CONSTRAINT "idempotency_key_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."outbox" ADD CONSTRAINT "outbox_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."outbox_stream" ADD CONSTRAINT "outbox_stream_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."code" ADD CONSTRAINT "code_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."login_attempt" ADD CONSTRAINT "login_attempt_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."connection" ADD CONSTRAINT "connection_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."identity" ADD CONSTRAINT "identity_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."factor" ADD CONSTRAINT "factor_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."recovery_code" ADD CONSTRAINT "recovery_code_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."used_challenge" ADD CONSTRAINT "used_challenge_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."factor_guess" ADD CONSTRAINT "factor_guess_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."data_key" ADD CONSTRAINT "data_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."code_request" ADD CONSTRAINT "code_request_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."sweep" ADD CONSTRAINT "sweep_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."daily_statistics" ADD CONSTRAINT "daily_statistics_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."operator_action" ADD CONSTRAINT "operator_action_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."server_status" ADD CONSTRAINT "server_status_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."api_key" ADD CONSTRAINT "api_key_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."api_request" ADD CONSTRAINT "api_request_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."api_request" ADD CONSTRAINT "api_request_database_id_user_id_fkey" FOREIGN KEY ("database_id", "user_id") REFERENCES "usher"."user"("database_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."kept_event" ADD CONSTRAINT "kept_event_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."event_cursor" ADD CONSTRAINT "event_cursor_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."revocation" ADD CONSTRAINT "revocation_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usher"."revocation_cursor" ADD CONSTRAINT "revocation_cursor_database_id_fkey" FOREIGN KEY ("database_id") REFERENCES "usher"."database"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Where most databases have one row of a table, Postgres expects one row in each database, and then any index that begins
-- with database_id seems to find a row as fast as the index of its key. In a database with many rows it reads all of them.
-- So plans expect a two-hundredth of a table in each database, as Postgres itself does before its first ANALYZE.
ALTER TABLE "usher"."api_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."api_request" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."code" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."daily_statistics" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."login_attempt" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."code_request" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."connection" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."data_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."database_secret" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."event_cursor" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."factor" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."factor_guess" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."hash_parameters" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."idempotency_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."identity" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."invitation" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."kept_event" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."known_network" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."login_failures" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."mail_settings" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."mail_template" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."membership" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."network_failures" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."operator_action" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."outbox" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."outbox_stream" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."recovery_code" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."revocation" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."revocation_cursor" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."server_status" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."session" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."signing_key" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."sweep" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."tenant" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."used_challenge" ALTER COLUMN "database_id" SET (n_distinct = 200);
ALTER TABLE "usher"."user" ALTER COLUMN "database_id" SET (n_distinct = 200);
