package dev.perigee.local.behaviour;

/** Times of calls of a tool before and after: percentiles in milliseconds, exact to 10 %. */
public record ToolTime(
        String tool, long calls, long p50Before, long p50After, long p99Before, long p99After) {}
