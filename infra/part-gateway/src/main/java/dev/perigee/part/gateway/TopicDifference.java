package dev.perigee.part.gateway;

/** One setting of an existing topic that is not as the contract wants it. */
public record TopicDifference(String topic, String setting, String wanted, String found) {}
