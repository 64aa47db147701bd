package dev.perigee.protocol.event;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The states of an installation, as users see them. {@link #PROVISIONING} and {@link
 * #AWAITING_USER_CONFIG} belong to the backend: Perigee never reports them. The transitions are
 * under "Status" in {@code docs/concepts.md}.
 */
public enum ServerStatus {
    /** The backend prepares the installation; never reported by Perigee. */
    @JsonProperty("provisioning")
    PROVISIONING,
    /** The user has not completed the configuration; never reported by Perigee. */
    @JsonProperty("awaiting_user_config")
    AWAITING_USER_CONFIG,
    /** A configuration was accepted, nothing was started yet. */
    @JsonProperty("command_received")
    COMMAND_RECEIVED,
    /** A process or connection is made, also after a crash or the loss of a worker. */
    @JsonProperty("connecting")
    CONNECTING,
    /** The handshake is done; the tools are being listed. */
    @JsonProperty("discovering_tools")
    DISCOVERING_TOOLS,
    /** The tools are listed and being published. */
    @JsonProperty("syncing_tools")
    SYNCING_TOOLS,
    /** Serves calls; a dormant instance is online too. */
    @JsonProperty("online")
    ONLINE,
    /** A command or a new configuration ends the process and starts the next. */
    @JsonProperty("restarting")
    RESTARTING,
    /** Stopped by intent, or an HTTP server that cannot be reached. */
    @JsonProperty("offline")
    OFFLINE,
    /** The last start or call failed, or the installation is quarantined. */
    @JsonProperty("error")
    ERROR,
    /** The server refused the configured credentials. */
    @JsonProperty("requires_reauth")
    REQUIRES_REAUTH,
    /** The restart budget is used up; only a command starts it again. */
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
