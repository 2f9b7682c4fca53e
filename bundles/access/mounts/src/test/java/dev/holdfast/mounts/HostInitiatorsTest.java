package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The choice among the initiators that are installed. */
class HostInitiatorsTest {
  private static final URI ENDPOINT = URI.create("nbd://host/vol");

  private final List<Initiator> installed = new CopyOnWriteArrayList<>();
  private final HostInitiators host = new HostInitiators(() -> installed);

  /** An initiator that can do everything. */
  private record Able(String name, int preference) implements Initiator {
    private InitiatorConnection connection(String volume) {
      return new InitiatorConnection(volume, name, ENDPOINT, "/dev/" + name, true);
    }

    @Override
    public boolean understands(URI endpoint) {
      return true;
    }

    @Override
    public Optional<String> obstacle() {
      return Optional.empty();
    }

    @Override
    public InitiatorConnection connect(String volume, URI endpoint) {
      return connection(volume);
    }

    @Override
    public void disconnect(String volume) {}

    @Override
    public Optional<InitiatorConnection> find(String volume) {
      return Optional.empty();
    }

    @Override
    public List<InitiatorConnection> connections() {
      return List.of();
    }
  }

  @Test
  void initiatorInstalledLaterIsChosenByItsPreference() throws Exception {
    installed.add(new Able("first", 1));
    assertThat(host.connect("vol", ENDPOINT).device()).isEqualTo("/dev/first");

    installed.add(new Able("second", 2));

    assertThat(host.connect("vol", ENDPOINT).device()).isEqualTo("/dev/second");
  }
}
