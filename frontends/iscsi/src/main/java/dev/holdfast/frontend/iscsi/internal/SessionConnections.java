package dev.holdfast.frontend.iscsi.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The connections of a session and its command numbers. The connections share it as a text,
 * independent of the serving version of the bundle.
 *
 * @param session identifier: the token of the session's first connection; has no spaces
 * @param expected the next expected command number
 * @param members its connections, not null; copied
 */
record SessionConnections(String session, int expected, List<Member> members) {

  /**
   * One connection.
   *
   * @param cid the initiator's identifier of the connection
   * @param token distinguishes connections of one identifier; has neither spaces nor semicolons
   * @param active number of its commands with a place in the window
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

  /** Returns the roster with a new connection, which replaces an earlier one of that identifier. */
  SessionConnections with(int cid, String token) {
    List<Member> more = new ArrayList<>(without(one -> one.cid() == cid).members);
    more.add(new Member(cid, token, 0));
    return new SessionConnections(session, expected, more);
  }

  /** Returns the roster without some connections and their commands. */
  SessionConnections without(Predicate<Member> leaving) {
    return new SessionConnections(
        session, expected, members.stream().filter(one -> !leaving.test(one)).toList());
  }

  /** Returns the roster after a connection took a command. */
  SessionConnections taken(int cid, boolean place) {
    return new SessionConnections(session, expected + 1, changed(cid, place ? 1 : 0));
  }

  /** Returns the roster after a command of a connection left the window. */
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
