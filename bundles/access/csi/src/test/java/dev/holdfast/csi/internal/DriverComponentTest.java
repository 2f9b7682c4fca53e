package dev.holdfast.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The declaration that the container follows. */
class DriverComponentTest {
  private static final String DECLARATION =
      "/OSGI-INF/dev.holdfast.csi.internal.DriverComponent.xml";
  private static final Pattern REFERENCE = Pattern.compile("<reference [^>]*>");

  /**
   * A node starts its initiators one after the other. A driver that restarted for the second one
   * would end the calls that came after the first.
   */
  @Test
  void initiatorThatArrivesOrLeavesDoesNotRestartTheDriver() throws IOException {
    assertThat(references("dev.holdfast.initiator.InitiatorProvider"))
        .singleElement()
        .asString()
        .contains("cardinality=\"1..n\"", "policy=\"dynamic\"");
  }

  private static List<String> references(String service) throws IOException {
    try (InputStream in = DriverComponentTest.class.getResourceAsStream(DECLARATION)) {
      String declaration = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return REFERENCE
          .matcher(declaration)
          .results()
          .map(MatchResult::group)
          .filter(reference -> reference.contains("interface=\"" + service + "\""))
          .toList();
    }
  }
}
