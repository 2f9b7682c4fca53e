package dev.holdfast.image.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limits of the receivers of one node. */
class SendLeasesTest {
  private final SendLeases leases = new SendLeases();
  private final AtomicInteger ended = new AtomicInteger();

  private SendLeases.Lease acquire(String file, String receiver) throws StorageException {
    return leases.acquire(file, receiver, ended::incrementAndGet);
  }

  @Test
  void fourthReceiverOfAFileIsBusyUntilOneHasEnded() throws Exception {
    SendLeases.Lease first = acquire("file", "one");
    acquire("file", "two");
    acquire("file", "three");

    assertThatThrownBy(() -> acquire("file", "four"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("limit is 3");
    acquire("other", "four");

    first.close();
    acquire("file", "four");
    assertThat(ended).hasValue(0);
  }

  @Test
  void secondCallOfAReceiverEndsItsFirst() throws Exception {
    SendLeases.Lease first = acquire("file", "one");
    SendLeases.Lease second = acquire("file", "one");
    assertThat(ended).hasValue(1);

    first.close();
    leases.endAll();
    assertThat(ended).as("the second still runs").hasValue(2);
    second.close();
    leases.endAll();
    assertThat(ended).hasValue(2);
  }

  @Test
  void nodeHasALimitOverAllFiles() throws Exception {
    for (int i = 0; i < SendLeases.RECEIVERS_OF_NODE; i++) {
      acquire("file-" + i, "one");
    }
    assertThatThrownBy(() -> acquire("another", "one")).hasMessageContaining("of a node");
  }
}
