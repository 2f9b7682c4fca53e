package dev.holdfast.frontend.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A random history of several clients and successive versions of a frontend, with partly received
 * requests and partly sent replies. At its end every request was answered, every read returned the
 * last written data, and the device received each change once.
 */
public final class ReplacementHistory {
  private static final int CLIENTS = 3;
  private static final int STEPS = 60;

  private final FrontendFixture fixture;
  private final Supplier<FrontendProvider> versions;
  private final Duration patience;

  /**
   * Creates histories.
   *
   * @param fixture connects the clients, not null
   * @param versions creates the later versions of the fixture's frontend, not null
   * @param patience time limit for an answer, not null
   */
  public ReplacementHistory(
      FrontendFixture fixture, Supplier<FrontendProvider> versions, Duration patience) {
    this.fixture = fixture;
    this.versions = versions;
    this.patience = patience;
  }

  /**
   * Runs one history.
   *
   * @param seed seed of the history, which determines it except for the order of threads
   * @throws AssertionError when a request was lost, repeated or executed wrongly
   * @throws Exception when a connection was closed or an answer is missing
   */
  public void live(long seed) throws Exception {
    FrontendProvider first = versions.get();
    try (SocketPortal portal = portal(first)) {
      portal.arrived(first);
      CountingBlockDevice device =
          new CountingBlockDevice(
              new LaterBlockDevice(
                  new MemoryBlockDevice(CLIENTS * HistoryClient.BYTES), new Random(seed)));
      PublishedExport export = portal.publish(first.name(), "history", device);
      live(new Random(seed), portal, first, export, device);
    }
  }

  private void live(
      Random random,
      SocketPortal portal,
      FrontendProvider first,
      PublishedExport export,
      CountingBlockDevice device)
      throws Exception {
    List<HistoryClient> clients = new ArrayList<>();
    Replacements replacements =
        new Replacements(
            portal,
            first,
            () -> {
              if (fixture.connectionsAwaitEachOther()) {
                clients.forEach(HistoryClient::open);
              }
            });
    try {
      for (int i = 0; i < CLIENTS; i++) {
        Relay relay = Relay.to(export.endpoint().getPort());
        clients.add(new HistoryClient(relay, fixture.connect(uri(relay, export)), i));
      }
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(6) == 0) {
          replace(random, replacements);
        }
        clients.get(random.nextInt(CLIENTS)).step(random);
      }
      int changes = 0;
      for (HistoryClient client : clients) {
        client.finish(patience.toNanos());
        changes += client.changes();
      }
      if (device.changes() != changes) {
        throw new AssertionError(
            "the clients asked for " + changes + " changes, the device for " + device.changes());
      }
    } finally {
      for (HistoryClient client : clients) {
        client.close();
      }
    }
  }

  private void replace(Random random, Replacements replacements) {
    switch (random.nextInt(3)) {
      case 0 -> replacements.sideBySide(versions.get());
      case 1 -> {
        if (fixture.connectionsAwaitEachOther()) {
          // In place, data that waits for an already parked connection would delay the replacement.
          replacements.sideBySide(versions.get());
        } else {
          replacements.inPlace(versions.get());
        }
      }
      default -> replacements.thereAndBack(versions.get());
    }
  }

  private URI uri(Relay relay, PublishedExport export) {
    return fixture.frontend().endpoint(export.endpoint().getHost(), relay.port(), "history");
  }

  private static SocketPortal portal(FrontendProvider frontend) throws StorageException {
    return new SocketPortal(
        new PortalSettings(
            name -> name.equals(frontend.portProperty()) ? Optional.of("0") : Optional.empty()));
  }
}
