package dev.holdfast.image.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkPolicyTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.8",
        "198.18.0.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "2001:db8::1",
        "::127.0.0.1"
      })
  void specialAddressIsRefused(String address) throws Exception {
    assertThatThrownBy(() -> NetworkPolicy.of("", Set.of()).require(InetAddress.getByName(address)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("image-download-allowed-networks");
  }

  @Test
  void mappedAddressCountsAsItsIpv4Address() throws Exception {
    byte[] mapped = new byte[16];
    mapped[10] = -1;
    mapped[11] = -1;
    mapped[12] = 127;
    mapped[15] = 1;
    InetAddress address = java.net.Inet6Address.getByAddress("", mapped, -1);
    assertThatThrownBy(() -> NetworkPolicy.of("", Set.of()).require(address))
        .isInstanceOf(StorageException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8.8.8.8", "172.32.0.1", "2a00:1450:4001::1", "100.128.0.1"})
  void publicAddressIsPermitted(String address) {
    assertThatCode(() -> NetworkPolicy.of("", Set.of()).require(InetAddress.getByName(address)))
        .doesNotThrowAnyException();
  }

  @Test
  void addressOfANodeIsRefused() throws Exception {
    InetAddress node = InetAddress.getByName("8.8.4.4");
    assertThatThrownBy(() -> NetworkPolicy.of("", Set.of(node)).require(node))
        .hasMessageContaining("one of a node");
  }

  @Test
  void settingAllowsNetworks() throws Exception {
    NetworkPolicy policy = NetworkPolicy.of(" 127.0.0.0/8, fd00::/8 ,10.1.0.0/16", Set.of());
    policy.require(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    policy.require(InetAddress.getByName("fd00::5"));
    policy.require(InetAddress.getByName("10.1.255.255"));
    assertThatThrownBy(() -> policy.require(InetAddress.getByName("10.2.0.1")))
        .isInstanceOf(StorageException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "10.0.0.0/33", "10.0.0.0/x", "fd00::/129", "1.2.3/8/8"})
  void wrongSettingIsRefused(String networks) {
    assertThatThrownBy(() -> NetworkPolicy.of(networks, Set.of()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("setting image-download-allowed-networks");
  }
}
