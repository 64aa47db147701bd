@org.jspecify.annotations.NullMarked
package dev.perigee.protocol.json;
