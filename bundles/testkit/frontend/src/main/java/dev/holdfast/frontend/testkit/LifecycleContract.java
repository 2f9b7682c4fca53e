package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.ReplaceableFrontend;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Life cycle of exports and connections. */
public abstract class LifecycleContract extends FrontendContract {

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected LifecycleContract(FrontendFixture fixture) {
    super(fixture);
  }

  @Test
  final void nameIsNotReserved() {
    ReservedNames.check(frontend().name(), frontend().getClass());
  }

  @Test
  final void refusesAnUnknownExport() throws Exception {
    PublishedExport export = publish("known", new MemoryBlockDevice(SIZE));
    URI unknown = endpointOf(export, "unknown");
    assertThatThrownBy(
            () -> fixture().connect(unknown).close(),
            "a connection to an export that does not exist")
        .isInstanceOf(IOException.class);
  }

  @Test
  final void refusesASecondExportOfTheSameName() throws Exception {
    PublishedExport unused = publish("twice", new MemoryBlockDevice(SIZE));
    assertThatThrownBy(() -> publish("twice", new MemoryBlockDevice(SIZE)))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.ALREADY_EXISTS));
    unused.close();
    publish("twice", new MemoryBlockDevice(SIZE)).close();
  }

  @Test
  final void withdrawalEndsRequestsAndConnections() throws Exception {
    HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    PublishedExport export = publish("leaving", device);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      CompletableFuture<byte[]> inFlight = client.read(0, 4096);
      awaitHeld(device, 1);
      CompletableFuture<Void> withdrawn = CompletableFuture.runAsync(export::close);
      device.releaseOldest();
      get(withdrawn);
      assertContent(get(inFlight), new byte[4096]);
      assertThatThrownBy(() -> get(client.read(0, 4096)), "a read after the export was withdrawn")
          .hasCauseInstanceOf(IOException.class);
      assertThat(device.waiting()).as("requests at the device after the withdrawal").isZero();
      assertThatThrownBy(
              () -> fixture().connect(export.endpoint()).close(),
              "a connection to a withdrawn export")
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  final void secondWithdrawSucceeds() throws Exception {
    PublishedExport export = publish("leaving", new MemoryBlockDevice(SIZE));
    export.close();
    export.close();
  }

  @Test
  final void servesAfterManyConnectionsOpenedAndClosed() throws Exception {
    MemoryBlockDevice memory = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("busy", memory);
    for (int i = 0; i < 100; i++) {
      FrontendClient client = fixture().connect(export.endpoint());
      CompletableFuture<byte[]> unanswered = client.read(0, 1 << 20);
      client.close();
      assertThat(unanswered).isNotNull();
    }
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      assertContent(get(client.read(0, 4096)), new byte[4096]);
    }
  }

  @Test
  final void servesManyConnectionsAtOnce() throws Exception {
    PublishedExport export = publish("busy", new MemoryBlockDevice(SIZE));
    List<FrontendClient> clients = new ArrayList<>();
    try {
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        FrontendClient client = fixture().connect(export.endpoint());
        clients.add(client);
        writes.add(client.write(i * 4096L, random(4096, i), false));
      }
      for (int i = 0; i < clients.size(); i++) {
        get(writes.get(i));
        assertContent(get(clients.get(i).read(i * 4096L, 4096)), random(4096, i));
      }
    } finally {
      for (FrontendClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  final void endpointNamesTheAdvertisedAddress() throws Exception {
    portal(Map.of("holdfast.advertised.address", "localhost"));
    PublishedExport export = publish("named", new MemoryBlockDevice(SIZE));
    assertThat(export.endpoint().getHost())
        .as("host of the endpoint: holdfast.advertised.address")
        .isEqualTo("localhost");
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      assertContent(get(client.read(0, 512)), new byte[512]);
    }
  }

  @Test
  final void holdsClientsWhileTheFrontendIsAway() throws Exception {
    MemoryBlockDevice memory = new MemoryBlockDevice(SIZE);
    PublishedExport export = publish("held", memory);
    try (FrontendClient before = fixture().connect(export.endpoint())) {
      get(before.write(0, random(4096, 1), false));
      portal().left(frontend());
      CompletableFuture<byte[]> asked = before.read(0, 4096);
      CompletableFuture<FrontendClient> held =
          CompletableFuture.supplyAsync(() -> connectTo(export.endpoint()));
      portal().arrived(fixture().frontend());
      try (FrontendClient after = get(held)) {
        assertContent(get(after.read(0, 4096)), random(4096, 1));
      }
      if (frontend() instanceof ReplaceableFrontend) {
        assertContent(get(asked), random(4096, 1));
      } else {
        assertThatThrownBy(
                () -> get(asked), "a read of a connection whose frontend is not replaceable")
            .hasCauseInstanceOf(IOException.class);
      }
    }
  }

  private FrontendClient connectTo(URI endpoint) {
    try {
      return fixture().connect(endpoint);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private URI endpointOf(PublishedExport export, String other) {
    URI published = export.endpoint();
    return frontend().endpoint(published.getHost(), published.getPort(), other);
  }
}
