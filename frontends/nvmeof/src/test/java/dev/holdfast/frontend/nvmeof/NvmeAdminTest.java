package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Data by which a volume's controller describes itself. */
final class NvmeAdminTest extends NvmeTestBase {

  @Test
  void controllerReportsItsLimits() throws Exception {
    Host.Admin admin = admin();
    ByteBuffer page = page(get(admin.queue().send(identify(1, 0), 4096)));
    assertThat(text(page, 24, 8)).isEqualTo("Holdfast");
    assertThat(page.get(77)).as("MDTS").isEqualTo((byte) 8);
    assertThat(page.getShort(78) & 0xffff).as("CNTLID").isEqualTo(admin.controller());
    assertThat(page.getInt(80)).as("VER").isEqualTo(0x20000);
    assertThat(page.get(111)).as("CNTRLTYPE").isEqualTo((byte) 1);
    assertThat(page.getShort(320)).as("KAS").isPositive();
    assertThat(page.getShort(514)).as("MAXCMD").isEqualTo((short) 128);
    assertThat(page.getShort(520)).as("ONCS").isEqualTo((short) 0b10111101);
    assertThat(page.getShort(522)).as("FUSES").isEqualTo((short) 1);
    assertThat(page.getInt(536) & 3).as("SGLS").isEqualTo(1);
    assertThat(text(page, 768, subsystem.length())).isEqualTo(subsystem);
    assertThat(page.getInt(1792)).as("IOCCSZ").isEqualTo((64 + 16384) / 16);
  }

  @Test
  void namespaceReportsSizeAndIdentity() throws Exception {
    HostQueue admin = admin().queue();
    ByteBuffer page = page(get(admin.send(identify(0, 1), 4096)));
    assertThat(page.getLong(0)).as("NSZE").isEqualTo(SIZE / BLOCK);
    assertThat(page.get(128 + 2)).as("LBADS").isEqualTo((byte) 9);
    assertThat(page.get(31)).as("RESCAP").isEqualTo((byte) 0xff);
    assertThat(page.getInt(92)).as("ANAGRPID").isEqualTo(1);
    byte[] guid = Bytes.of(page, 104, 16);
    ByteBuffer descriptors = page(get(admin.send(identify(3, 1), 4096)));
    assertThat(descriptors.getShort(0)).isEqualTo((short) 0x1002);
    assertThat(Bytes.of(descriptors, 4, 16)).isEqualTo(guid);
    assertThat(descriptors.getShort(20)).isEqualTo((short) 0x1003);
    assertThat(Bytes.of(descriptors, 24, 16)).isEqualTo(guid);
    assertThat(guid[6] & 0xf0).as("version of the UUID").isEqualTo(0x80);
  }

  @Test
  void identityIsTheSameForEveryHostAndAnotherForEveryVolume() throws Exception {
    server.publish("other", device);
    byte[] mine = page(get(admin().queue().send(identify(3, 1), 4096))).array();
    byte[] again = page(get(admin(host.another(), 0).queue().send(identify(3, 1), 4096))).array();
    String name = subsystem.replace(":volume", ":other");
    Host.Admin other = host.admin(endpoint, name, 0);
    byte[] others = page(get(opened(other.queue()).send(identify(3, 1), 4096))).array();
    assertThat(again).isEqualTo(mine);
    assertThat(others).isNotEqualTo(mine);
  }

  @Test
  void listsHaveTheOneNamespaceAndAllControllers() throws Exception {
    Host.Admin first = admin();
    Host.Admin second = admin(host.another(), 0);
    HostQueue admin = first.queue();
    assertThat(page(get(admin.send(identify(2, 0), 4096))).getInt(0)).isEqualTo(1);
    assertThat(page(get(admin.send(identify(2, 1), 4096))).getInt(0)).isZero();
    assertThat(get(admin.send(identify(0, 2), 4096)).status()).isEqualTo(0x0b);
    assertThat(get(admin.send(identify(0, 0xffffffff), 4096)).status())
        .as("common capabilities, without namespace management")
        .isEqualTo(0x0b);
    assertThat(get(admin.send(identify(0xee, 1), 4096)).status()).isEqualTo(0x02);
    ByteBuffer controllers = page(get(admin.send(identify(0x13, 0), 4096)));
    assertThat(controllers.getShort(0)).isEqualTo((short) 2);
    assertThat(List.of(controllers.getShort(2) & 0xffff, controllers.getShort(4) & 0xffff))
        .isSorted()
        .containsExactlyInAnyOrder(first.controller(), second.controller());
  }

  @Test
  void registersFollowTheHost() throws Exception {
    HostQueue admin = admin().queue();
    long capabilities = get(admin.send(Host.propertyGet(0, true), 0)).orThrow().result();
    assertThat(capabilities & 0xffff).as("MQES").isEqualTo(127);
    assertThat(capabilities >> 37 & 1).as("NVM command set").isEqualTo(1);
    assertThat(get(admin.send(Host.propertyGet(8, false), 0)).result()).isEqualTo(0x20000);
    assertThat(get(admin.send(Host.propertyGet(0x1c, false), 0)).result()).isEqualTo(1);
    get(admin.send(Host.property(0x14, 0), 0)).orThrow();
    for (int set = 1; set <= 7; set++) {
      Outcome outcome = get(admin.send(Host.property(0x14, 0x460001 | set << 4), 0));
      assertThat(outcome.status()).as("CSS %d", set).isEqualTo(set == 6 ? 0 : 2);
    }
    assertThat(get(admin.send(Host.propertyGet(0x1c, false), 0)).result()).isEqualTo(1);
    assertThat(page(get(admin.send(identify(0x1c, 0), 4096))).getLong(0)).isEqualTo(1);
    get(admin.send(Host.property(0x14, 0x464001), 0)).orThrow();
    assertThat(get(admin.send(Host.propertyGet(0x1c, false), 0)).result()).isEqualTo(9);
    get(admin.send(Host.property(0x14, 0), 0)).orThrow();
    assertThat(get(admin.send(Host.propertyGet(0x1c, false), 0)).result()).isZero();
    assertThat(get(admin.send(identify(1, 0), 4096)).status()).as("disabled").isEqualTo(0x0c);
    assertThat(get(admin.send(Host.propertyGet(0x40, false), 0)).status()).isEqualTo(2);
  }

  @Test
  void featuresAreSetAndRead() throws Exception {
    HostQueue admin = admin().queue();
    assertThat(get(admin.send(feature(true, 7, 3 | 5 << 16), 0)).result()).isEqualTo(3 | 5 << 16);
    assertThat(get(admin.send(feature(true, 7, 999 | 999 << 16), 0)).result())
        .isEqualTo(7 | 7 << 16);
    get(admin.send(feature(true, 0x0f, 12_000), 0)).orThrow();
    assertThat(get(admin.send(feature(false, 0x0f, 0), 0)).result()).isEqualTo(12_000);
    get(admin.send(feature(true, 0x0b, 0x900), 0)).orThrow();
    assertThat(get(admin.send(feature(false, 0x0b, 0), 0)).result()).isEqualTo(0x900);
    byte[] id = get(admin.send(feature(false, 0x81, 1), 16)).data();
    assertThat(ByteBuffer.wrap(id).getLong(8)).isEqualTo(host.id().getLeastSignificantBits());
    byte[] behaviour = new byte[512];
    behaviour[0] = 1;
    get(admin.send(feature(true, 0x16, 0), behaviour)).orThrow();
    assertThat(get(admin.send(feature(false, 0x16, 0), 512)).data()).isEqualTo(behaviour);
    assertThat(get(admin.send(feature(true, 0x06, 0), 0)).status()).isEqualTo(0x10e);
    assertThat(get(admin.send(feature(true, 0x7f, 0), 0)).status()).isEqualTo(2);
    assertThat(get(admin.send(feature(true, 0x8000000f, 1), 0)).status()).isEqualTo(0x10d);
  }

  @Test
  void logsAreThereInParts() throws Exception {
    HostQueue admin = admin().queue();
    ByteBuffer supported = page(get(admin.send(log(0, 1024), 1024)));
    for (int log : new int[] {0, 1, 2, 3, 4, 5, 0x0c, 0x12, 0x80}) {
      assertThat(supported.getInt(4 * log)).as("log %x", log).isEqualTo(1);
      get(admin.send(log(log, 64), 64)).orThrow();
    }
    assertThat(supported.getInt(4 * 0x70)).isZero();
    assertThat(get(admin.send(log(0x70, 64), 64)).status()).isEqualTo(0x109);
    ByteBuffer ana = page(get(admin.send(log(0x0c, 52), 52)));
    assertThat(ana.getShort(8)).isEqualTo((short) 1);
    assertThat(ana.get(32)).as("optimized").isEqualTo((byte) 1);
    assertThat(ana.getInt(48)).isEqualTo(1);
    ByteBuffer part = page(get(admin.send(log(0x0c, 20).dword(12, 32), 20)));
    assertThat(part.get(0)).isEqualTo((byte) 1);
    assertThat(get(admin.send(log(0x0c, 4).dword(12, 4096), 4)).status()).isEqualTo(2);
    ByteBuffer effects = page(get(admin.send(log(5, 4096), 4096)));
    assertThat(effects.getInt(1024 + 4)).as("Write changes content").isEqualTo(3);
    assertThat(effects.getInt(1024 + 8)).isEqualTo(1);
  }

  @Test
  void errorsAreLogged() throws Exception {
    HostQueue admin = admin().queue();
    assertThat(get(admin.send(new Entry(0xc7), 0)).status()).isEqualTo(1);
    ByteBuffer errors = page(get(admin.send(log(1, 64), 64)));
    assertThat(errors.getLong(0)).isEqualTo(1);
    assertThat((errors.getShort(12) & 0xffff) >> 1 & 0x7ff).isEqualTo(1);
    assertThat(page(get(admin.send(log(2, 512), 512))).getLong(176)).isEqualTo(1);
  }

  @Test
  void requestForAnEventWaitsUntilItIsAborted() throws Exception {
    HostQueue admin = admin().queue();
    var waiting = admin.send(new Entry(0x0c), 0);
    for (int i = 0; i < 3; i++) {
      var unused = admin.send(new Entry(0x0c), 0);
    }
    assertThat(get(admin.send(new Entry(0x0c), 0)).status()).as("too many").isEqualTo(0x105);
    // The client's second command has the number 3, after Connect and the configuration.
    assertThat(get(admin.send(new Entry(0x08).dword(10, 3 << 16), 0)).result()).isZero();
    assertThat(get(waiting).status()).isEqualTo(7);
    assertThat(get(admin.send(new Entry(0x08).dword(10, 99 << 16), 0)).result()).isEqualTo(1);
    get(admin.send(new Entry(0x18), 0)).orThrow();
  }

  private static String text(ByteBuffer page, int at, int length) {
    return new String(Bytes.of(page, at, length), StandardCharsets.UTF_8);
  }
}
