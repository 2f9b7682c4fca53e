package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.StableServices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Endpoints for clients over an orchestrator with fixed addresses. */
class StableEndpointsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
  private static final String STABLE = "nfs://10.96.0.7:2049/films";

  private final List<String> calls = new ArrayList<>();
  private Optional<ErrorCode> failure = Optional.empty();
  private final StableEndpoints endpoints = new StableEndpoints(Optional.of(new Services()));

  private final class Services implements StableServices {
    @Override
    public Optional<String> direct(String name, String address, int port) throws StorageException {
      calls.add(name + " to " + address + " " + port);
      if (failure.isPresent()) {
        throw new StorageException(failure.get(), "no");
      }
      return address.startsWith("127.") ? Optional.empty() : Optional.of("10.96.0.7:2049");
    }

    @Override
    public void remove(String name) throws StorageException {
      calls.add("remove " + name);
      if (failure.isPresent()) {
        throw new StorageException(failure.get(), "no");
      }
    }
  }

  private static ShareManager at(String endpoint) {
    ShareManager share = ShareManager.of(ShareManagerSpec.EMPTY.withVolume("films"));
    return share.withStatus(share.status().withEndpoint(endpoint));
  }

  @Test
  void endpointStaysWhileTheShareMoves() throws Exception {
    ShareManager first = at("nfs://10.0.0.1:20490/films");
    ShareManager moved = at("nfs://[fd00::2]:20490/films");
    assertThat(endpoints.known(first, NOW)).isEmpty();
    assertThat(endpoints.of(first, NOW)).isEqualTo(STABLE);
    assertThat(endpoints.known(first, NOW)).contains(STABLE);
    assertThat(endpoints.known(moved, NOW)).isEmpty();
    assertThat(endpoints.of(moved, NOW)).isEqualTo(STABLE);
    assertThat(calls).containsExactly("films to 10.0.0.1 20490", "films to fd00::2 20490");
    assertThat(endpoints.known(moved, NOW.plusSeconds(61))).as("looked at again").isEmpty();
    assertThat(endpoints.known(at(""), NOW)).contains("");
    endpoints.remove("films");
    assertThat(endpoints.known(moved, NOW)).isEmpty();
  }

  @Test
  void shareWithAnAddressOfItsOwnOrOfTheLoopbackHasNoService() throws Exception {
    ShareManager own = at("nfs://10.0.0.9:2049/films");
    ShareManager floating = own.withSpec(own.spec().withAddress("10.0.0.9/24%eth0"));
    assertThat(endpoints.known(floating, NOW)).contains("nfs://10.0.0.9:2049/films");
    String loopback = "nfs://127.0.0.1:20490/films";
    assertThat(endpoints.of(at(loopback), NOW)).isEqualTo(loopback);
    assertThat(new StableEndpoints(Optional.empty()).known(at(loopback), NOW)).contains(loopback);
  }

  @Test
  void missingRightLeavesTheNodesAddressAndOtherFailuresLeaveTheEndpointUndecided()
      throws Exception {
    String node = "nfs://10.0.0.1:20490/films";
    failure = Optional.of(ErrorCode.UNREACHABLE);
    assertThatThrownBy(() -> endpoints.of(at(node), NOW)).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> endpoints.remove("films")).isInstanceOf(StorageException.class);
    assertThat(endpoints.known(at(node), NOW)).isEmpty();
    failure = Optional.of(ErrorCode.FORBIDDEN);
    assertThat(endpoints.of(at(node), NOW)).isEqualTo(node);
    endpoints.remove("films");
  }
}
