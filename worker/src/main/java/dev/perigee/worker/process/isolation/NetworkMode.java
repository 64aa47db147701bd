package dev.perigee.worker.process.isolation;

import dev.perigee.protocol.settings.SettingType;

/** Networks of jailed servers. */
public enum NetworkMode {
    /** One of their own each, of which the only way out is the worker, by the egress policy. */
    POLICY,
    /** The host's, with all that can be reached from there. */
    HOST,
    /** One of their own each, without a way out. */
    NONE;

    /** What to do where a network with a way out cannot be made, as part of a sentence. */
    static final String ADVICE =
            "where its kernel has no nf_tables: modprobe nft_redir nft_reject_ipv6, or set"
                    + " isolation.network=host; ";

    /** As it is written; true and false are what was written before there were policies. */
    static SettingType<NetworkMode> type() {
        return new SettingType<>(
                "one of policy, host, none",
                text ->
                        switch (text) {
                            case "policy" -> POLICY;
                            case "host", "true" -> HOST;
                            case "none", "false" -> NONE;
                            default -> null;
                        });
    }
}
