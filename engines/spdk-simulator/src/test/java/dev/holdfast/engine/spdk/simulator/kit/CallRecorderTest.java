package dev.holdfast.engine.spdk.simulator.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines that a recorder writes, which the replay of transcripts reads. */
class CallRecorderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  @Test
  void linesHaveTheFormOfTheTranscripts() throws Exception {
    Path file = folder.resolve("transcript.jsonl");
    CallRecorder recorder = new CallRecorder(Optional.of(file));
    JsonNode params = JSON.readTree("{\"name\":\"v\"}");
    recorder.event("a", "start");
    recorder.answered("a", "spdk_get_version", MissingNode.getInstance(), params);
    recorder.refused(
        "a", "bdev_lvol_delete", params, new JsonRpcException("a", -19, "No such device"));
    List<String> lines = Files.readAllLines(file);
    assertThat(lines)
        .containsExactly(
            "{\"target\":\"a\",\"event\":\"start\"}",
            "{\"target\":\"a\",\"request\":{\"jsonrpc\":\"2.0\",\"method\":\"spdk_get_version\",\"id\":1},"
                + "\"response\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"name\":\"v\"}}}",
            "{\"target\":\"a\",\"request\":{\"jsonrpc\":\"2.0\",\"method\":\"bdev_lvol_delete\",\"id\":2,"
                + "\"params\":{\"name\":\"v\"}},\"response\":{\"jsonrpc\":\"2.0\",\"id\":2,"
                + "\"error\":{\"code\":-19,\"message\":\"No such device\"}}}");
  }

  @Test
  void withoutAFileNothingIsWritten() throws Exception {
    new CallRecorder(Optional.empty()).event("a", "start");
    assertThat(folder).isEmptyDirectory();
  }
}
