package dev.perigee.local.behaviour;

/** How long calls of a tool took before and after, in milliseconds, exact to 10 %. */
public record ToolTime(
        String tool, long calls, long p50Before, long p50After, long p99Before, long p99After) {}
