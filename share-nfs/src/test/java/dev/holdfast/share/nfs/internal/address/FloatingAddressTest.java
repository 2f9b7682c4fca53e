package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.share.ShareAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An address on one end of a cable, with a neighbour in a network namespace at the other end. */
@Tag("slow")
class FloatingAddressTest {
  private static final ShareAddress ADDRESS = new ShareAddress("198.51.100.7", 24, Cable.HERE);

  private Cable cable;
  private final FloatingAddress address = new FloatingAddress(new LocalHost(), ADDRESS);

  @BeforeEach
  void connect() throws StorageException {
    cable = new Cable();
  }

  @AfterEach
  void disconnect() throws StorageException {
    cable.close();
  }

  private static String onInterface() throws StorageException {
    return Cable.ip("-o", "-4", "address", "show", "dev", Cable.HERE);
  }

  @Test
  void addressIsAddedOnceAndAnnouncedAndRemoved() throws Exception {
    String unused = Cable.neighbour("ip", "address", "add", "198.51.100.9/24", "dev", Cable.THERE);
    // The neighbour knew the address at another network card before.
    String known =
        Cable.neighbour(
            "ip",
            "neigh",
            "replace",
            "198.51.100.7",
            "lladdr",
            "02:00:00:00:00:01",
            "dev",
            Cable.THERE,
            "nud",
            "stale");
    assertThat(unused + known).isEmpty();
    address.add();
    address.add();
    assertThat(onInterface().lines()).hasSize(1).first().asString().contains("198.51.100.7/24");
    address.announce();
    String card = HostProgram.check(Cable.SHORT, List.of("cat", "/sys/class/net/hfshare0/address"));
    assertThat(
            HostCondition.holds(
                Cable.SHORT,
                () -> Cable.neighbour("ip", "neigh", "show", "198.51.100.7").contains(card)))
        .as("the neighbour knows the card of the address")
        .isTrue();
    address.remove();
    address.remove();
    assertThat(onInterface()).isEmpty();
  }

  @Test
  void addressThatANeighbourHasIsRefused() throws Exception {
    assertThat(Cable.neighbour("ip", "address", "add", "198.51.100.7/24", "dev", Cable.THERE))
        .isEmpty();
    assertThatThrownBy(address::add)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("another host on hfshare0 has it");
    assertThat(onInterface()).isEmpty();
  }
}
