package dev.holdfast.frontend.nvmeof;

import static dev.holdfast.frontend.nvmeof.NvmeTestBase.BLOCK;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.get;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.log;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.page;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two paths to one volume by two portals, as a host sees them: the log of asymmetric access (Base
 * 2.0, 5.16.1.13), its change event, and the status of commands by a path that does not serve.
 */
@Timeout(60)
final class NvmePathsTest {
  private static final int ANA_NOTICE = 1 << 11;
  private static final int ANA_CHANGED = 0x0c_03_02;
  private static final int INACCESSIBLE = 0x302;
  private static final int WRITE = 0x01;
  private static final int READ = 0x02;

  private final MemoryBlockDevice device = new MemoryBlockDevice(1 << 20);
  private final Host host = Host.of(HostOptions.PLAIN);
  private NvmeServer one;
  private NvmeServer other;
  private PublishedExport first;
  private PublishedExport second;
  private HostQueue admin;
  private HostQueue byFirst;
  private HostQueue bySecond;
  private int firstController;
  private int secondController;

  @BeforeEach
  void connect() throws Exception {
    one = NvmeServer.start();
    other = NvmeServer.start();
    first = one.publish("volume", device, ExportPath.of(1, AccessState.OPTIMIZED));
    second = other.publish("volume", device, ExportPath.of(2, AccessState.STANDBY));
    String subsystem = first.endpoint().getPath().substring(1);
    Host.Admin near = host.admin(first.endpoint(), subsystem, 0);
    Host.Admin far = host.admin(second.endpoint(), subsystem, 0);
    admin = near.queue();
    firstController = near.controller();
    secondController = far.controller();
    byFirst = host.io(first.endpoint(), subsystem, firstController, 1);
    bySecond = host.io(second.endpoint(), subsystem, secondController, 1);
  }

  @AfterEach
  void stop() {
    one.close();
    other.close();
  }

  @Test
  void pathThatDoesNotServeRefusesSoThatTheHostUsesAnother() throws Exception {
    assertThat(get(bySecond.send(Entry.io(WRITE, 0, 1), random(BLOCK, 1))).status())
        .isEqualTo(INACCESSIBLE);
    assertThat(get(byFirst.send(Entry.io(WRITE, 0, 1), random(BLOCK, 2))).status()).isZero();
    first.access(AccessState.INACCESSIBLE);
    second.access(AccessState.OPTIMIZED);
    Outcome refused = get(byFirst.send(Entry.io(WRITE, 0, 1), random(BLOCK, 3)));
    assertThat(refused.status()).isEqualTo(INACCESSIBLE);
    assertThat(refused.retry()).isTrue();
    assertThat(get(bySecond.send(Entry.io(READ, 0, 1), BLOCK)).data()).isEqualTo(random(BLOCK, 2));
  }

  @Test
  void changeOfAccessIsReportedAndCounted() throws Exception {
    get(admin.send(NvmeTestBase.feature(true, 0x0b, ANA_NOTICE), 0)).orThrow();
    var told = admin.send(new Entry(0x0c), 0);
    ByteBuffer before = page(get(admin.send(log(0x0c, 52), 52)));
    assertThat(before.get(32)).as("optimized").isEqualTo((byte) 1);
    first.access(AccessState.OPTIMIZED);
    first.access(AccessState.STANDBY);
    assertThat(get(told).result()).isEqualTo(ANA_CHANGED);
    ByteBuffer after = page(get(admin.send(log(0x0c, 52), 52)));
    assertThat(after.get(32)).as("inaccessible").isEqualTo((byte) 3);
    assertThat(after.getLong(0)).as("changes").isEqualTo(before.getLong(0) + 1);
    assertThat(after.getLong(24)).as("of the group").isEqualTo(after.getLong(0));
  }

  @Test
  void controllersOfAPathKeepToItsRange() {
    int range = 0xffef / (ExportPath.MAXIMUM_ID + 1);
    assertThat(firstController).isBetween(range + 1, 2 * range);
    assertThat(secondController).isBetween(2 * range + 1, 3 * range);
  }

  @Test
  void exportWithoutPathHasNoAccessState() throws Exception {
    PublishedExport only = one.publish("only", device);
    assertThatThrownBy(() -> only.access(AccessState.STANDBY))
        .hasMessageContaining("export only was published without a path")
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }
}
