package dev.holdfast.support.internal.pack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Selection of the content of a support bundle.
 *
 * @param since logs and audit events before this time are omitted
 * @param volume only lines of logs that name this volume, empty for all
 * @param nodes names of the nodes, empty for all
 */
public record SupportRequest(Instant since, Optional<String> volume, List<String> nodes) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Copies the list. */
  public SupportRequest {
    nodes = List.copyOf(nodes);
  }

  /**
   * Parses the parameters of a request.
   *
   * @param standard default start
   * @throws StorageException INVALID with the parameter
   */
  public static SupportRequest of(Map<String, String> parameters, Instant standard)
      throws StorageException {
    return new SupportRequest(
        time(parameters.getOrDefault("since", standard.toString())),
        Optional.of(parameters.getOrDefault("volume", "")).filter(text -> !text.isEmpty()),
        Arrays.stream(parameters.getOrDefault("nodes", "").split(","))
            .filter(name -> !name.isBlank())
            .map(String::strip)
            .toList());
  }

  /**
   * Parses a time.
   *
   * @throws StorageException INVALID
   */
  public static Instant time(String text) throws StorageException {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "since: \"" + text + "\" must be a time such as 2026-11-28T12:00:00Z",
          e);
    }
  }

  /** Returns the request for one node as bytes. */
  public byte[] toBytes() {
    ObjectNode tree = MAPPER.createObjectNode().put("since", since.toString());
    volume.ifPresent(name -> tree.put("volume", name));
    return tree.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Parses the request of another node.
   *
   * @throws StorageException INVALID
   */
  public static SupportRequest of(byte[] bytes) throws StorageException {
    try {
      JsonNode tree = MAPPER.readTree(bytes);
      return new SupportRequest(
          time(tree.path("since").asText()),
          Optional.of(tree.path("volume").asText()).filter(text -> !text.isEmpty()),
          List.of());
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, "the request is not JSON", e);
    }
  }
}
