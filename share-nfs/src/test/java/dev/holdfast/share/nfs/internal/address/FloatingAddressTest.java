package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.share.ShareAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An address on one end of a cable, with a neighbour in a network namespace at the other end. */
@Tag("slow")
class FloatingAddressTest {
  private static final Duration SHORT = Duration.ofSeconds(20);
  private static final ShareAddress ADDRESS = new ShareAddress("198.51.100.7", 24, "hfshare0");

  private final FloatingAddress address = new FloatingAddress(new LocalHost(), ADDRESS);

  private static String ip(String... arguments) throws StorageException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(arguments));
    return HostProgram.check(SHORT, command);
  }

  private static String neighbour(String... arguments) throws StorageException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", "hfshare"));
    command.addAll(List.of(arguments));
    return HostProgram.check(SHORT, command);
  }

  @BeforeEach
  void connect() throws StorageException {
    String unused =
        ip("netns", "add", "hfshare")
            + ip("link", "add", "hfshare0", "type", "veth", "peer", "name", "hfshare1")
            + ip("link", "set", "hfshare1", "netns", "hfshare")
            + ip("link", "set", "hfshare0", "up")
            + neighbour("ip", "link", "set", "hfshare1", "up");
  }

  @AfterEach
  void disconnect() throws StorageException {
    String unused = ip("link", "del", "hfshare0") + ip("netns", "del", "hfshare");
  }

  private static String onInterface() throws StorageException {
    return ip("-o", "-4", "address", "show", "dev", "hfshare0");
  }

  @Test
  void addressIsAddedOnceAndAnnouncedAndRemoved() throws Exception {
    String unused = neighbour("ip", "address", "add", "198.51.100.9/24", "dev", "hfshare1");
    // A neighbour that knew the address at another card.
    String known =
        neighbour(
            "ip",
            "neigh",
            "replace",
            "198.51.100.7",
            "lladdr",
            "02:00:00:00:00:01",
            "dev",
            "hfshare1",
            "nud",
            "stale");
    assertThat(unused + known).isEmpty();
    address.add();
    address.add();
    assertThat(onInterface().lines()).hasSize(1).first().asString().contains("198.51.100.7/24");
    address.announce();
    String card = HostProgram.check(SHORT, List.of("cat", "/sys/class/net/hfshare0/address"));
    assertThat(neighbour("ip", "neigh", "show", "198.51.100.7")).contains(card);
    address.remove();
    address.remove();
    assertThat(onInterface()).isEmpty();
  }

  @Test
  void addressThatANeighbourHasIsRefused() throws Exception {
    assertThat(neighbour("ip", "address", "add", "198.51.100.7/24", "dev", "hfshare1")).isEmpty();
    assertThatThrownBy(address::add)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("another host on hfshare0 has it");
    assertThat(onInterface()).isEmpty();
  }
}
