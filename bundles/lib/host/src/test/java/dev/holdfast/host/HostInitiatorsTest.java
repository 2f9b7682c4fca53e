package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.InitiatorPath;
import dev.holdfast.initiator.PathInitiator;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Selection among the installed initiators. */
class HostInitiatorsTest {
  private static final URI ENDPOINT = URI.create("nbd://host/vol");

  private final List<Initiator> installed = new CopyOnWriteArrayList<>();
  private final HostInitiators host = new HostInitiators(() -> installed);

  /** An initiator with all abilities. */
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

  /** An initiator with several paths and one volume. */
  private static final class Paths implements PathInitiator {
    private List<URI> endpoints = List.of(ENDPOINT);
    private String state = "live";

    @Override
    public String name() {
      return "paths";
    }

    @Override
    public int preference() {
      return 3;
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
      throw new IllegalStateException("a volume that is connected keeps its device");
    }

    @Override
    public InitiatorConnection connect(String volume, List<URI> wanted) {
      endpoints = wanted;
      return find(volume).orElseThrow();
    }

    @Override
    public List<InitiatorPath> paths(String volume) {
      return endpoints.stream().map(at -> new InitiatorPath(at.getHost(), state, "")).toList();
    }

    @Override
    public void disconnect(String volume) {
      endpoints = List.of();
    }

    @Override
    public Optional<InitiatorConnection> find(String volume) {
      return endpoints.stream()
          .findFirst()
          .map(at -> new InitiatorConnection(volume, name(), at, "/dev/paths", true));
    }

    @Override
    public List<InitiatorConnection> connections() {
      return List.of();
    }
  }

  @Test
  void volumeWhoseEndpointMovedKeepsItsDevice() throws Exception {
    URI moved = URI.create("nbd://other/vol");
    Paths paths = new Paths();
    installed.add(paths);
    assertThat(host.keepsDevice("vol", moved)).isTrue();
    assertThat(host.connectGrowable("vol", moved, 1).endpoint()).isEqualTo(moved);
    host.disconnect("vol");
    assertThat(host.keepsDevice("vol", ENDPOINT)).isFalse();
  }

  @Test
  void connectedVolumeGetsFurtherPaths() throws Exception {
    List<URI> both = List.of(ENDPOINT, URI.create("nbd://other/vol"));
    Paths paths = new Paths();
    installed.add(new Able("single", 1));
    installed.add(paths);
    host.connectPaths("vol", both);
    assertThat(paths.endpoints).isEqualTo(both);
    paths.state = "connecting";
    assertThatThrownBy(() -> host.connectPaths("vol", both))
        .hasMessage("volume vol: 0 of its 2 paths are live");
    host.disconnect("vol");
    assertThatThrownBy(() -> host.connectPaths("vol", both))
        .hasMessageContaining("no initiator has it with several paths");
  }

  @Test
  void deviceIsNotKeptByAnInitiatorWithoutPaths() throws Exception {
    installed.add(new Able("single", 1));
    assertThat(host.keepsDevice("vol", ENDPOINT)).isFalse();
  }

  @Test
  void initiatorInstalledLaterIsChosenByItsPreference() throws Exception {
    installed.add(new Able("first", 1));
    assertThat(host.connect("vol", ENDPOINT).device()).isEqualTo("/dev/first");

    installed.add(new Able("second", 2));

    assertThat(host.connect("vol", ENDPOINT).device()).isEqualTo("/dev/second");
  }
}
