# The watchdog of one worker: kills whatever the worker started once the worker is gone or frozen.
# Runs under bash and busybox ash, as: sh -c SCRIPT perigee-watchdog OWNER SECONDS
#   OWNER    what the marks of this worker's processes begin with, "worker:incarnation:"
#   SECONDS  how long it waits for a line
# Standard input is the lease: lines "add SESSION START", "drop SESSION START", "beat". Its end, or no
# line for SECONDS, means that the worker is gone. The end of this script by itself says the same.

trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM
owner=$1
seconds=$2
sessions=' '

# Leaves in $victims the live processes of the worker: those that carry its mark, those in its
# sessions, and all that descend from them.
find_victims() {
    victims=' '
    for file in $(grep -lsF "PERIGEE_OWNER=$owner" /proc/[0-9]*/environ); do
        pid=${file#/proc/}
        victims="$victims${pid%/environ} "
    done
    table=
    strangers=' '
    for directory in /proc/[0-9]*; do
        { read -r stat <"$directory/stat"; } 2>/dev/null || continue
        pid=${directory#/proc/}
        # After the name, which may contain anything, come state, parent, group, session; START is the 20th.
        set -- ${stat##*) }
        case $1 in Z | X) continue ;; esac
        table="$table$pid:$2:$4 "
        case $sessions in
        *" $pid:${20} "*) ;;
        *" $pid:"*) strangers="$strangers$pid " ;; # the number was given to another process
        esac
    done
    grown=yes
    while [ -n "$grown" ]; do
        grown=
        for row in $table; do
            pid=${row%%:*}
            case $victims in *" $pid "*) continue ;; esac
            parent=${row#*:}
            case $victims in
            *" ${parent%:*} "*) ;;
            *)
                session=${row##*:}
                case $strangers in *" $session "*) continue ;; esac
                case $sessions in *" $session:"*) ;; *) continue ;; esac
                ;;
            esac
            victims="$victims$pid "
            grown=yes
        done
    done
}

if ! echo probe | { read -r -t 1 line; } 2>/dev/null; then
    echo "this shell has no 'read -t': install bash or busybox" >&2
    exit 69
fi
echo ready

while read -r -t "$seconds" verb session start; do
    case $verb in
    add) sessions="$sessions$session:$start " ;;
    drop)
        case $sessions in
        *" $session:$start "*)
            sessions="${sessions%% $session:$start *} ${sessions#* $session:$start }"
            ;;
        esac
        ;;
    esac
done

# A process that executes another program at the moment of a look shows no mark: one look that finds
# nobody is not enough.
passes=0
quiet=0
while [ "$quiet" -lt 3 ] && [ "$passes" -lt 300 ]; do
    find_victims
    if [ "$victims" = ' ' ]; then
        quiet=$((quiet + 1))
    else
        quiet=0
        kill -KILL $victims 2>/dev/null
    fi
    sleep 0.05
    passes=$((passes + 1))
done
exit 0
