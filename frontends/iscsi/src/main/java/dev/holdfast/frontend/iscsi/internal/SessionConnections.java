package dev.holdfast.frontend.iscsi.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The connections of a session, and its command numbers: a value that they share as a text,
 * whichever version of the bundle serves each of them.
 *
 * @param session whose it is: the token of the session's first connection; has no spaces
 * @param expected the command number that is waited for
 * @param members the connections that are in it, not null; copied
 */
record SessionConnections(String session, int expected, List<Member> members) {

  /**
   * One connection.
   *
   * @param cid the initiator's name for it
   * @param token which of those that had this name; has neither spaces nor semicolons
   * @param active commands of it that have a place in the window
   */
  record Member(int cid, String token, int active) {}

  SessionConnections {
    members = List.copyOf(members);
  }

  Optional<Member> member(int cid) {
    return members.stream().filter(one -> one.cid() == cid).findFirst();
  }

  boolean has(int cid, String token) {
    return member(cid).filter(one -> one.token().equals(token)).isPresent();
  }

  int maximum() {
    return expected + CommandNumbers.WINDOW - 1 - members.stream().mapToInt(Member::active).sum();
  }

  /** A connection joins, in the place of an earlier one of that name. */
  SessionConnections with(int cid, String token) {
    List<Member> more = new ArrayList<>(without(one -> one.cid() == cid).members);
    more.add(new Member(cid, token, 0));
    return new SessionConnections(session, expected, more);
  }

  /** Connections leave, and their commands with them. */
  SessionConnections without(Predicate<Member> leaving) {
    return new SessionConnections(
        session, expected, members.stream().filter(one -> !leaving.test(one)).toList());
  }

  /** A command is taken by a connection. */
  SessionConnections taken(int cid, boolean place) {
    return new SessionConnections(session, expected + 1, changed(cid, place ? 1 : 0));
  }

  /** A command of a connection leaves the window. */
  SessionConnections ended(int cid) {
    return new SessionConnections(session, expected, changed(cid, -1));
  }

  private List<Member> changed(int cid, int more) {
    return members.stream()
        .map(
            one ->
                one.cid() == cid
                    ? new Member(cid, one.token(), Math.max(0, one.active() + more))
                    : one)
        .toList();
  }

  String text() {
    return Stream.concat(
            Stream.of(session, String.valueOf(expected)),
            members.stream().map(one -> one.cid() + ";" + one.token() + ";" + one.active()))
        .collect(Collectors.joining(" "));
  }

  static SessionConnections parse(String text) {
    String[] words = text.split(" ", -1);
    List<Member> members = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      String[] parts = words[i].split(";", -1);
      members.add(new Member(Integer.parseInt(parts[0]), parts[1], Integer.parseInt(parts[2])));
    }
    return new SessionConnections(words[0], Integer.parseInt(words[1]), members);
  }
}
