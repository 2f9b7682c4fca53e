package dev.holdfast.frontend.iscsi.internal.scsi;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** MODE SENSE and MODE SELECT (SPC-4, 6.11 to 6.14). */
final class ModePages {
  private static final int CACHING = 0x08;
  private static final int CONTROL = 0x0a;
  private static final int EXCEPTIONS = 0x1c;
  private static final int ALL = 0x3f;
  private static final int ALL_SUBPAGES = 0xff;
  private static final int DESCRIPTOR_SENSE = 0x04;
  private static final int WRITE_PROTECT = 0x08;
  private static final int MODE_CHANGED = 0x2a01;
  private static final List<Integer> PAGES = List.of(CACHING, CONTROL, EXCEPTIONS);

  private enum Values {
    CURRENT,
    CHANGEABLE,
    DEFAULT,
    SAVED
  }

  private final Volume volume;
  private final String nexus;

  ModePages(Volume volume, String nexus) {
    this.volume = volume;
    this.nexus = nexus;
  }

  ModeSettings current() {
    return ModeSettings.read(volume.state().text(SharedTexts.MODE).orElse(""));
  }

  Plan sense(Cdb cdb) throws CommandException {
    boolean six = cdb.opcode() == Command.MODE_SENSE_6.opcode();
    Values values = Values.values()[cdb.u8(2) >> 6];
    if (values == Values.SAVED) {
      throw CommandException.of(Sense.SAVING_UNSUPPORTED);
    }
    byte[] pages = pages(cdb.u8(2) & ALL, cdb.u8(3), values);
    byte[] blocks = cdb.bit(1, 0x08) ? new byte[0] : descriptor(!six && cdb.bit(1, 0x10));
    byte[] data = six ? small(blocks, pages) : large(blocks, pages);
    return Plan.now((task, none) -> task.answer(data, six ? cdb.u8(4) : cdb.u16(7)));
  }

  private byte[] pages(int code, int subpage, Values values) throws CommandException {
    ByteArrayOutputStream pages = new ByteArrayOutputStream();
    for (int page : PAGES) {
      if (code == page || code == ALL) {
        pages.writeBytes(page(page, values));
      }
    }
    if (pages.size() == 0 || (subpage != 0 && subpage != ALL_SUBPAGES)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return pages.toByteArray();
  }

  private byte[] page(int code, Values values) {
    boolean changeable = values == Values.CHANGEABLE;
    ByteBuffer page = ByteBuffer.allocate(code == CACHING ? 20 : 12);
    page.put(0, (byte) code).put(1, (byte) (page.capacity() - 2));
    if (code == CACHING && !changeable) {
      page.put(2, (byte) 0x04); // writes are durable when they are flushed
    } else if (code == CONTROL) {
      ModeSettings mode =
          values == Values.CURRENT ? current() : new ModeSettings(changeable, changeable);
      page.put(2, (byte) (mode.descriptorSense() ? DESCRIPTOR_SENSE : 0));
      page.put(3, (byte) (changeable ? 0 : 0x10)); // commands are reordered
      page.put(4, (byte) (mode.writeProtected() ? WRITE_PROTECT : 0));
    }
    return page.array();
  }

  private byte[] descriptor(boolean large) {
    long blocks = volume.blocks();
    if (large) {
      return ByteBuffer.allocate(16).putLong(0, blocks).putInt(12, Volume.BLOCK).array();
    }
    return ByteBuffer.allocate(8)
        .putInt(0, (int) Math.min(blocks, 0xffffffffL))
        .putInt(4, Volume.BLOCK)
        .array();
  }

  private int deviceSpecific() {
    return (current().writeProtected() ? 0x80 : 0) | 0x10; // WP, DPOFUA
  }

  private byte[] small(byte[] blocks, byte[] pages) {
    ByteBuffer data = ByteBuffer.allocate(4 + blocks.length + pages.length);
    data.put((byte) (data.capacity() - 1)).put((byte) 0).put((byte) deviceSpecific());
    return data.put((byte) blocks.length).put(blocks).put(pages).array();
  }

  private byte[] large(byte[] blocks, byte[] pages) {
    ByteBuffer data = ByteBuffer.allocate(8 + blocks.length + pages.length);
    data.putShort((short) (data.capacity() - 2)).put((byte) 0).put((byte) deviceSpecific());
    data.put((byte) (blocks.length == 16 ? 1 : 0)).put((byte) 0);
    return data.putShort((short) blocks.length).put(blocks).put(pages).array();
  }

  Plan select(Cdb cdb) throws CommandException {
    boolean six = cdb.opcode() == Command.MODE_SELECT_6.opcode();
    if (!cdb.bit(1, 0x10) || cdb.bit(1, 0x01)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return Plan.gathered(six ? cdb.u8(4) : cdb.u16(7), (task, list) -> select(list.slice(), six));
  }

  private void select(ByteBuffer list, boolean six) throws CommandException {
    if (list.remaining() == 0) {
      return;
    }
    int header = six ? 4 : 8;
    if (list.remaining() < header) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    int blocks = six ? list.get(3) & 0xff : list.getShort(6) & 0xffff;
    if (list.remaining() < header + blocks) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    list.position(header + blocks);
    ModeSettings wanted = current();
    for (ByteBuffer page : split(list)) {
      wanted = changed(page, wanted);
    }
    if (!wanted.equals(current())) {
      String text = wanted.write();
      SharedTexts.change(volume.state(), SharedTexts.MODE, old -> text);
      SharedTexts.tell(volume.state(), MODE_CHANGED, nexus);
    }
  }

  private static List<ByteBuffer> split(ByteBuffer list) throws CommandException {
    List<ByteBuffer> pages = new ArrayList<>();
    while (list.hasRemaining()) {
      int length =
          list.remaining() < 2 ? Integer.MAX_VALUE : 2 + (list.get(list.position() + 1) & 0xff);
      if (length > list.remaining()) {
        throw CommandException.of(Sense.LIST_LENGTH);
      }
      pages.add(list.slice(list.position(), length));
      list.position(list.position() + length);
    }
    return pages;
  }

  /** Only changeable fields may differ from the current ones. */
  private ModeSettings changed(ByteBuffer page, ModeSettings before) throws CommandException {
    int code = page.get(0) & 0x7f;
    if (!PAGES.contains(code)) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    byte[] now = page(code, Values.CURRENT);
    byte[] mask = page(code, Values.CHANGEABLE);
    if (page.remaining() != now.length) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    for (int i = 2; i < now.length; i++) {
      if (((now[i] ^ page.get(i)) & ~mask[i]) != 0) {
        throw CommandException.of(Sense.INVALID_PARAMETER);
      }
    }
    return code != CONTROL
        ? before
        : new ModeSettings(
            (page.get(2) & DESCRIPTOR_SENSE) != 0, (page.get(4) & WRITE_PROTECT) != 0);
  }
}
