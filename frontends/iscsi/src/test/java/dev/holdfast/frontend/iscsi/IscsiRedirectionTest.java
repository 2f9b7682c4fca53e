package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.login.TextKeys;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginResponse;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A login at a node that no longer exports the target. */
@Timeout(60)
final class IscsiRedirectionTest {
  @Test
  void initiatorIsSentWhereTheTargetIs() throws Exception {
    try (IscsiServer former = IscsiServer.start();
        IscsiServer present = IscsiServer.start()) {
      URI other = former.publish("other", new MemoryBlockDevice(1 << 20));
      URI moved = present.publish("moved", new MemoryBlockDevice(1 << 20));
      former.knows((frontend, export) -> Optional.of(moved).filter(at -> export.equals("moved")));
      URI asked = at(other, "moved");
      Frame answer = IscsiWire.loginAnswer(asked);
      assertThat(LoginResponse.parse(answer.header()).status()).isEqualTo(0x0101);
      byte[] text = new byte[answer.data().remaining()];
      answer.data().get(text);
      assertThat(TextKeys.read(text))
          .isEqualTo(Map.of("TargetAddress", "127.0.0.1:" + moved.getPort()));
      assertThat(Peer.run("iscsi-inq", asked.toString())).contains("HOLDFAST");
    }
  }

  @Test
  void unknownTargetAndTargetListedForThisNodeAreNotFound() throws Exception {
    try (IscsiServer server = IscsiServer.start()) {
      URI other = server.publish("other", new MemoryBlockDevice(1 << 20));
      assertThat(status(at(other, "gone"))).isEqualTo(0x0203);
      server.knows((frontend, export) -> Optional.of(at(other, export)));
      assertThat(status(at(other, "gone"))).isEqualTo(0x0203);
    }
  }

  private static int status(URI endpoint) throws Exception {
    return LoginResponse.parse(IscsiWire.loginAnswer(endpoint).header()).status();
  }

  private static URI at(URI endpoint, String export) {
    return URI.create(endpoint.toString().replaceFirst(":other/", ":" + export + "/"));
  }
}
