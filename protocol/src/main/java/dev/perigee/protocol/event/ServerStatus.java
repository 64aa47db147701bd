package dev.perigee.protocol.event;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The states of an installation, as users see them. {@link #PROVISIONING} and {@link
 * #AWAITING_USER_CONFIG} belong to the backend: Perigee never reports them. The transitions are
 * under "Status" in {@code docs/concepts.md}.
 */
public enum ServerStatus {
    @JsonProperty("provisioning")
    PROVISIONING,
    @JsonProperty("awaiting_user_config")
    AWAITING_USER_CONFIG,
    @JsonProperty("command_received")
    COMMAND_RECEIVED,
    @JsonProperty("connecting")
    CONNECTING,
    @JsonProperty("discovering_tools")
    DISCOVERING_TOOLS,
    @JsonProperty("syncing_tools")
    SYNCING_TOOLS,
    @JsonProperty("online")
    ONLINE,
    @JsonProperty("restarting")
    RESTARTING,
    @JsonProperty("offline")
    OFFLINE,
    @JsonProperty("error")
    ERROR,
    @JsonProperty("requires_reauth")
    REQUIRES_REAUTH,
    @JsonProperty("permanently_failed")
    PERMANENTLY_FAILED;

    /** As on the wire. */
    public String wireName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** True while the instance is on its way to a settled state: calls wait for it, bounded. */
    public boolean isTransitional() {
        return switch (this) {
            case PROVISIONING,
                    COMMAND_RECEIVED,
                    CONNECTING,
                    DISCOVERING_TOOLS,
                    SYNCING_TOOLS,
                    RESTARTING ->
                    true;
            case AWAITING_USER_CONFIG,
                    ONLINE,
                    OFFLINE,
                    ERROR,
                    REQUIRES_REAUTH,
                    PERMANENTLY_FAILED ->
                    false;
        };
    }
}
