/// Reports of `earshot simulate` about small rooms: what a crowd needs changes nothing for a room of up to 32 nodes. They change with
/// the rules that hold in each room, as that links open with records of 1,280 bytes and with clocks.
enum RecordedReports {
    /// `--nodes 20`.
    static let table = """
        20 nodes, each in sight of all, on a simulated network with 1.0 to 20.0 ms latency and no loss; seed 1.

          messages sent                   100
          deliveries expected           1 900  at every other node that was there for a while
          delivered                     1 900  100 %
            live                        1 900
            repaired                        0  later, from who had kept it
          duplicates                        0
          to who just came or went          0  not expected, not counted above
          in another room                   0  shown where they were not said: a fault
          messages lost                     0  with authors that were killed before any node had them
          latency, median           10.894 ms  from being said to being shown live
            90 % within             18.207 ms
            99 % within             19.812 ms
            longest                 19.956 ms
          repair, median                    -  from being said to being repaired
            99 % within                     -
          sends per delivery                1
          links                           190  when all had met
            made afterwards                 0
            at the end                    190
          bytes written per node      130 397  on average, handshakes and pings too
            most                      184 192
          nodes that left                   0
            were killed                     0
            came instead                    0
          time simulated             21.466 s
          events run                    6 430

        """

    /// `--nodes 32 --messages 40 --rate 20 --loss 2 --churn 60 --partition 1 --seed 7 --json`.
    static let line = """
        {"event":"simulation","settings":{"nodes":32,"rooms":1,"messages":40,"rate":20,"latencyMs":[1.0,20.0],\
        "lossPercent":2,"links":null,"partitionSeconds":1,"churnPerMinute":60,"seed":7},"messages":40,\
        "expected":1161,"delivered":1161,"live":1161,"repaired":0,"duplicates":0,"others":134,"lost":0,\
        "latencyMs":{"p50":13.813,"p90":661.163,"p99":1002.219,"max":1111.93},"repairMs":{"p50":null,"p99":null,\
        "max":null},"strays":0,"sendsPerDelivery":1.175,"payloadsSent":1522,"linksMet":496,"linksMade":83,\
        "linksLeft":496,"bytesPerNode":167358,"bytesPerNodeMost":240178,"nodesLeft":2,"nodesKilled":0,\
        "nodesJoined":2,"simulatedMs":24417.957,"events":17430}

        """
}
