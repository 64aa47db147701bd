package dev.perigee.protocol.config;

/**
 * Composes process ids: {@code {server_slug}-{team_slug}-{user_slug}-{installation_id}}. Slugs and
 * ids contain hyphens, so an id is composed and compared, never parsed.
 */
public final class ProcessIds {
    private ProcessIds() {}

    /** The process id of one user's instance of one installation. */
    public static String of(
            String serverSlug, String teamSlug, String userSlug, String installationId) {
        return serverSlug + "-" + teamSlug + "-" + userSlug + "-" + installationId;
    }
}
