package dev.holdfast.engine.spdk.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lines that were recorded from a real target. */
final class Transcript {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Transcript() {}

  /**
   * A recorded call, or an event when {@code event} is not empty.
   *
   * @param number of the line, from 1
   */
  record Line(int number, String target, String event, JsonNode request, JsonNode response) {
    boolean isRefused() {
      return response.has("error");
    }

    String method() {
      return request.path("method").asText();
    }
  }

  static List<Line> read(String name) throws IOException {
    List<Line> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Transcript.class.getResourceAsStream(name), StandardCharsets.UTF_8))) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        JsonNode line = JSON.readTree(text);
        lines.add(
            new Line(
                lines.size() + 1,
                line.get("target").textValue(),
                line.path("event").asText(),
                line.path("request"),
                line.path("response")));
      }
    }
    return lines;
  }
}
