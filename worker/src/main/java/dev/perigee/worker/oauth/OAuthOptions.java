package dev.perigee.worker.oauth;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of OAuth; {@link OAuthSettings} has the keys and explains each.
 *
 * @param clientMetadataUrl who the fleet is where an installation has no client id; null for nobody
 * @param redirectUri where users come back to; null where the fleet asks nobody to authorize
 */
public record OAuthOptions(
        @Nullable String clientMetadataUrl, @Nullable String redirectUri, Duration refreshBefore) {}
